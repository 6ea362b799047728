# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of tmtrace for bash; installed as share/bash-completion/completions/tmtrace.

# The layers: those of the kernel, and the catalogue's, beside the program as it looks for them.
# Further files, named with --probes on this command line, come in too.
_tmtrace_layers()
{
	local program folder file i
	local -a files=()

	program=$(readlink -f "$(type -P "${COMP_WORDS[0]}")" 2>/dev/null)
	for folder in "${program%/*}/../probes" "${program%/*}/../share/tmtrace/probes" \
		/usr/local/share/tmtrace/probes; do
		[[ -d $folder ]] || continue
		files+=("$folder"/*.yaml)
		break
	done
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == --probes ]] || continue
		file=${COMP_WORDS[i + 1]}
		[[ $file != "=" ]] || file=${COMP_WORDS[i + 2]}
		if [[ -d $file ]]; then files+=("$file"/*.yaml); else files+=("$file"); fi
	done
	printf '%s\n' vfs block
	[[ ${#files[@]} -eq 0 ]] || sed -n 's/^layer: *\([a-z0-9_]*\).*/\1/p' "${files[@]}" 2>/dev/null
}

# The last item of a list with commas, from the words given.
_tmtrace_list()
{
	local word=$1 before='' item

	shift
	[[ $word != *,* ]] || before=${word%,*},
	for item in "$@"; do
		[[ $before != *"$item,"* && $item == "${word##*,}"* ]] && COMPREPLY+=("$before$item")
	done
}

_tmtrace_files()
{
	local IFS=$'\n'

	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_tmtrace_pids()
{
	local -a pids=(/proc/[0-9]*)

	_tmtrace_list "$1" "${pids[@]#/proc/}"
}

_tmtrace_cgroups()
{
	_tmtrace_files -d "${1:-/sys/fs/cgroup/}"
	compopt -o nospace 2>/dev/null
}

# The value of an option; false: it takes none, or one that cannot be guessed.
_tmtrace_value()
{
	local option=$1 word=$2
	local -a layers

	case $option in
	-p | --pid) _tmtrace_pids "$word" ;;
	--cgroup) _tmtrace_cgroups "$word" ;;
	--layer | --full)
		mapfile -t layers < <(_tmtrace_layers)
		_tmtrace_list "$word" "${layers[@]}"
		compopt -o nospace 2>/dev/null
		;;
	--lib)
		if [[ $word == *=* ]]; then
			_tmtrace_files -f "${word#*=}"
			# With = among the separators, only what follows it is replaced.
			[[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/${word%%=*}=}")
		else
			mapfile -t COMPREPLY < <(compgen -S = -W "$(_tmtrace_layers | sed '/^vfs$/d; /^block$/d')" -- "$word")
			compopt -o nospace 2>/dev/null
		fi
		;;
	--mechanism)
		mapfile -t COMPREPLY < <(compgen -W 'user=session user=multi user=perf vfs=fentry+kprobe.session vfs=fentry+kprobe.multi vfs=fentry vfs=kprobe.session vfs=kprobe.multi vfs=kprobe vfs=tp_btf block=tp_btf block=raw_tp block=tp block=kprobe' -- "$word")
		[[ $COMP_WORDBREAKS != *=* || $word != *=* ]] || COMPREPLY=("${COMPREPLY[@]#*=}")
		;;
	--hierarchy)
		mapfile -t COMPREPLY < <(compgen -W "v2 $(awk 'NR > 1 && $2 { print $1 }' /proc/cgroups 2>/dev/null)" -- "$word")
		;;
	--max-overhead) mapfile -t COMPREPLY < <(compgen -W 'none 1% 2% 5%' -- "$word") ;;
	--returns) mapfile -t COMPREPLY < <(compgen -W 'exits fast' -- "$word") ;;
	--entry) mapfile -t COMPREPLY < <(compgen -W 'cheap first' -- "$word") ;;
	--exit) mapfile -t COMPREPLY < <(compgen -W 'cheap ret' -- "$word") ;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$word") ;;
	--probes)
		[[ ${COMP_WORDS[1]} != status ]] || return 1
		_tmtrace_files -f "$word"
		;;
	--config | --leave-alone | --socket | --job-patterns | --json | --html | --sqlite | --perfetto | -o | --output | -i | --input) _tmtrace_files -f "$word" ;;
	--sort)
		if [[ ${COMP_WORDS[1]} == top ]]; then
			mapfile -t COMPREPLY < <(compgen -W 'read write bytes ops time load rp50 rp99 wp50 wp99 max where lib file net wait dev err open cpu mem name' -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -W 'total self count bytes p99 max errors name pid rank' -- "$word")
		fi
		;;
	--filter)
		mapfile -t COMPREPLY < <(compgen -S = -W 'layer function cgroup device fs_type mount pid comm rank jobid' -- "$word")
		compopt -o nospace 2>/dev/null
		;;
	--duration | --interval | --env | --job | --max-series | --frames | --size | --sample | --min-duration | --call-buffer | --syslog-rate) ;;
	--syslog) mapfile -t COMPREPLY < <(compgen -W 'run function device loss op by_size association probe call operation object addb job' -- "$word") ;;
	--syslog-socket | --syslog-journal) _tmtrace_files -f "$word" ;;
	*) return 1 ;;
	esac
	return 0
}

_tmtrace_options()
{
	local common='--pid --all --entry --exit --full --layer --leave-alone --lib --probes --help --usage --version'

	if [[ $2 == list ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$common --sites" -- "$1")
		return
	fi
	if [[ $2 == top ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$common --batch --cgroup --frames --functions --hierarchy --interval --job
			--job-patterns --max-overhead --max-series --mechanism --returns --reverse --socket --sort" -- "$1")
		return
	fi
	if [[ $2 == selftest ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--json --help --usage --version' -- "$1")
		return
	fi
	if [[ $2 == report ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--calls --diff --files --force --input --filter --help --histogram --html --job --json --no-pager
			--output --socket --timeline --sort --tree --usage --user --version' -- "$1")
		return
	fi
	if [[ $2 == dump ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--all --input --follow --addb-text --job --socket --help --usage --user --version' -- "$1")
		return
	fi
	if [[ $2 == export ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--force --input --perfetto --sqlite --help --usage --version' -- "$1")
		return
	fi
	if [[ $2 == service ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--check --clean --config --help --usage --version' -- "$1")
		return
	fi
	if [[ $2 == status ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--json --probes --socket --help --usage --version' -- "$1")
		return
	fi
	if [[ $2 == set ]]; then
		mapfile -t COMPREPLY < <(compgen -W 'off summary histogram calls default --job --json --layer --min-duration --sample --socket --help --usage --version' -- "$1")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$common --addb= --addb-buffer --addb-text --call-buffer --call-graph
		--calls --cgroup --duration --env --env-vars --exclude --hierarchy --histogram
		--interval --job-patterns --json --max-overhead --max-processes --max-series --mechanism --min-duration --min-wall --no-per-process --objects --optional --returns
		--output --per-process --processes --quiet --sample --selfie
		--size --syslog= --syslog-journal --syslog-rate --syslog-socket --user" -- "$1")
}

# The command behind --, completed as if it stood alone.
_tmtrace_command()
{
	local first=$1

	if declare -F _command_offset >/dev/null; then
		_command_offset "$first"
	elif ((COMP_CWORD == first)); then
		_tmtrace_files -c "${COMP_WORDS[COMP_CWORD]}"
	else
		_tmtrace_files -f "${COMP_WORDS[COMP_CWORD]}"
	fi
}

_tmtrace()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_tmtrace_command $((i + 1))
			return
		fi
	done
	# "--layer=mio" comes as three words where = separates words.
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
		# "--lib mio=PATH" is not an option's value, but the rest of one.
		if [[ $before != -* && ${COMP_WORDS[COMP_CWORD - 3]} == --@(lib|mechanism) ]]; then
			word=$before=$word
			before=${COMP_WORDS[COMP_CWORD - 3]}
		fi
	fi
	if [[ $word == --*=* ]]; then
		_tmtrace_value "${word%%=*}" "${word#*=}" || true
		COMPREPLY=("${COMPREPLY[@]/#/${word%%=*}=}")
	elif ! _tmtrace_value "$before" "$word"; then
		if [[ $word != -* && ${COMP_WORDS[1]} == @(report|dump|export) && $COMP_CWORD -gt 1 ]]; then
			_tmtrace_files -f "$word"
		elif [[ $word == -* || $COMP_CWORD -gt 1 ]]; then
			_tmtrace_options "$word" "${COMP_WORDS[1]}"
		else
			mapfile -t COMPREPLY < <(compgen -W 'record report dump export top list selftest service set status --pid --cgroup --all --' -- "$word")
		fi
	fi
}

complete -F _tmtrace tmtrace
