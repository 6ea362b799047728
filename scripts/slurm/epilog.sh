#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Epilog= of Slurm: on each node of a job, puts what the service of tmtrace has counted of it into a file
# that belongs to the job's user, DIR/NODE.tmtrace; `tmtrace report DIR` shows those of all nodes together.
#
#   epilog.sh [CONFIG]
#
# DIR is tmtrace-JOBID in the job's working directory. A site changes that, and the rest, in CONFIG,
# /etc/tmtrace/slurm.conf, a piece of shell that only root may write:
#
#   TMTRACE_SLURM_DIR   in place of the working directory. It has to be there, and open to all, like /tmp
#   TMTRACE_SLURM_TIME  seconds that all this may take: 20
#   TMTRACE             the program: tmtrace
#   TMTRACE_SOCKET      of the service: /run/tmtrace/tmtrace.sock
#
# Slurm runs this as root. It ends with 0 in any case, since anything else would drain the node; what goes
# wrong is told to syslog. Root asks the service, since only root can say whose job it is; then tmtrace
# becomes that user before it looks at any file: what is there may be links to anything.

set -u
set -f
umask 077
IFS=' 	
'
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH

tell()
{
	logger -t tmtrace-slurm -- "job ${job:-?}: $*" >/dev/null 2>&1 </dev/null || :
}

leave()
{
	tell "$*"
	exit 0
}

is_number()
{
	case $1 in
	'' | *[!0-9]*) return 1 ;;
	esac
}

job=${SLURM_JOB_ID-} uid=${SLURM_JOB_UID-} node=${SLURMD_NODENAME-}
is_number "$job" || leave "SLURM_JOB_ID is no number: this is for Epilog= of slurm.conf"
is_number "$uid" || leave "SLURM_JOB_UID is no number"
case $node in
'' | .* | -* | *[!A-Za-z0-9._-]*) node=$(uname -n) ;;
esac

config=${1-/etc/tmtrace/slurm.conf}
TMTRACE_SLURM_DIR=${SLURM_JOB_WORK_DIR-} TMTRACE_SLURM_TIME=20 TMTRACE=tmtrace
TMTRACE_SOCKET=/run/tmtrace/tmtrace.sock
# shellcheck disable=SC1090 # of the site
[ ! -f "$config" ] || . "$config"
# What follows is not the job's.
unset SLURM_JOB_ID

command -v "$TMTRACE" >/dev/null || leave "$TMTRACE is not there"
[ -S "$TMTRACE_SOCKET" ] || leave "no service at $TMTRACE_SOCKET"
case $TMTRACE_SLURM_DIR in
/*) file=$TMTRACE_SLURM_DIR/tmtrace-$job/$node.tmtrace ;;
*) leave "no working directory is known: TMTRACE_SLURM_DIR in $config can say where files go" ;;
esac

said=$(
	{
		timeout -k 2 "$TMTRACE_SLURM_TIME" "$TMTRACE" report --socket "$TMTRACE_SOCKET" \
			--job "$job" --user "$uid" --output "$file" || echo "status $?"
	} 2>&1 </dev/null | head -c 600 | tr -c '[:print:]' ' '
)
[ -z "$said" ] || tell "no figures are kept: $said"
exit 0
