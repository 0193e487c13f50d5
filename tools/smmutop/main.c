// SPDX-License-Identifier: GPL-2.0
/*
 * smmutop: which devices make the SMMU work?
 */
#include "check.h"
#include "detail.h"
#include "options.h"
#include "session.h"

int main(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, argc, argv);

	if (status < 0 && options.check)
		status = check_run(&options);
	else if (status < 0 && options.list)
		status = session_list(&options);
	else if (status < 0 && options.detail)
		status = detail_run(&options);
	else if (status < 0 && options.replay)
		status = session_replay(&options);
	else if (status < 0)
		status = session_run(&options);
	options_free(&options);
	return status;
}
