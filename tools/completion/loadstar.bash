# loadstar.bash: completion of the command line of loadstar for bash.
# Load it with: source loadstar.bash
# A test compares the options below with --help.

# The planners, policies and orders come from the program itself.
_loadstar_names() {
  loadstar list --json 2>/dev/null | sed -n "/^ *{*\"$1\"/,/\]\(,\|}\)$/s/^  {\"name\": \"\([^\"]*\)\".*/\1/p"
}

_loadstar() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} index
  local common="--help --usage --version" options
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "run worker plan simulate compare calibrate report list study pack check --help
      --version" -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
    run)
      # Behind -- the words belong to the command.
      for ((index = 2; index < COMP_CWORD; index++)); do
        if [ "${COMP_WORDS[index]}" == "--" ]; then
          mapfile -t COMPREPLY < <(compgen -A file -- "$word")
          return
        fi
      done
      options="--slurm --slurm-extra
        --pipe --spreadstdin --pipe-part --pipepart --block --block-size --recend --recstart --regexp --rrs --remove-rec-sep --group-by --cat --fifo --tee --round-robin --roundrobin --round
        --arg-file --null --delimiter --colsep --csv --header --trim --eof --no-run-if-empty --link --xapply --arg-sep --argsep --arg-file-sep --argfilesep --plus --rpl --parens --replace-string
        --extensionreplace --er --basenamereplace --bnr --dirnamereplace --dnr --basenameextensionreplace --bner --seqreplace --slotreplace --shell --dry-run --dryrun --context-replace --many --xargs --max-replace-args --max-lines --max-args --max-chars --units-max --split-failed --workers --jobs --max-procs --maxprocs --env --delay --nice --load --memfree --noswap --process-slot-var --speeds --load-pattern --busy --slot --prefetch
        --listen --advertise --key --insecure --label --needs --transport --mpi --executor --ssh --ssh-command --ship --keep-cache --sshlogin --sshloginfile --slf --onall --nonall --workdir --wd --no-local --sizing --replication --extra --loss-rate --efficiency-weight --policy --set --arguments --plan
        --deadline --price-max --order --shuf --times --history --platform --calibrate --seed --retries --retry-delay --heartbeat --timeout --termseq --term-seq --silence --patience --workers-min --workers-wait --replace --losses --halt --halt-on-error --sandbox --keep-sandbox --stage-in --transferfile --tf --transfer
        --stage-common --basefile --bf --stage-out --return --trc --cleanup --stage-out-failed --cache-bytes --keep-order --keeporder --tag --tagstring --tag-string --line-buffer --linebuffer --lb --ungroup --show-commands --files --tmpdir --compress --results --res
        --joblog --jl --joblog-usage --retry-failed --retryfailed --progress --bar --eta --json --svg --quiet --verbose --journal --resume --resume-failed --resumefailed --sync"
      ;;
    worker) options="--connect --key --workers --name --speed --lifetime --place --label --wait --cache --cache-bytes --keep-cache --lifeline --agent --shipped" ;;
    plan)
      options="--platform --unit-flops --unit-bytes --stage-ahead --platform-out --period --load --whole-units --integer
        --work --budget --algorithm --analysis --set --arguments --gantt --svg --csv --trace --html --json
        --flat --spmd --deadline --price-max --width"
      ;;
    simulate)
      options="--platform --unit-flops --unit-bytes --stage-ahead --plan --gantt --svg --csv --trace --html --json --spans
        --width --policy --policies --load --order --sizing --replication --arguments --set --known
        --and-platform --seed --seeds --jobs"
      ;;
    compare)
      options="--platform --unit-flops --unit-bytes --stage-ahead --load --whole-units --integer --work --budget
        --algorithms --front --sites --deadline --price-max --svg --json --policy --policies --workers --order --sizing --replication --arguments
        --set --known --and-platform --seed --seeds --jobs"
      ;;
    calibrate)
      options="--from --tolerance --one-law --fit --platform --unit-flops --unit-bytes --stage-ahead --output --window --plot
        --check --json --probe --sizes --seconds --measurements --workers --seed"
      ;;
    pack)
      options="--tasks --sizes --from --unknown --same-names --shards --speeds --job-seconds --start-cost --unknown-speeds
        --work --output --slurm --time-margin --index --seed --json"
      ;;
    check) options="--only --json" ;;
    study)
      options="--sample --seed --set --jobs --out --json --measured"
      if [[ $word != -* && $before != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(loadstar study 2>/dev/null | sed -n 's/^ *\([a-z][a-z0-9-]*\) .*/\1/p')" -- "$word")
        return
      fi
      ;;
    report) options="--explain --iterations --gantt --svg --csv --trace --html --json --spans --width" ;;
    list)
      options="--json"
      if [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(for family in planners analyses policies orders sizings replications; do
          compgen -W "$family $(_loadstar_names "$family")" -- "$word"
        done)
        return
      fi
      ;;
    *) return ;;
  esac
  # "--policy=g" arrives as three words.
  if [ "$word" == "=" ]; then word=""; elif [ "$before" == "=" ]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $before in
    --algorithm | --algorithms | -a)
      mapfile -t COMPREPLY < <(compgen -W "$(_loadstar_names planners)" -- "$word")
      ;;
    --dry-run) mapfile -t COMPREPLY < <(compgen -W "cost" -- "$word") ;;
    --analysis) mapfile -t COMPREPLY < <(compgen -W "$(_loadstar_names analyses)" -- "$word") ;;
    --policy)
      # Only a run can be advised.
      local also=""
      [ "${COMP_WORDS[1]}" == "run" ] && also="auto"
      mapfile -t COMPREPLY < <(compgen -W "$also $(_loadstar_names policies)" -- "$word")
      ;;
    --sizing) mapfile -t COMPREPLY < <(compgen -W "$(_loadstar_names sizings)" -- "$word") ;;
    --replication)
      mapfile -t COMPREPLY < <(compgen -W "$(_loadstar_names replications)" -- "$word")
      ;;
    --order) mapfile -t COMPREPLY < <(compgen -W "$(_loadstar_names orders)" -- "$word") ;;
    --halt)
      mapfile -t COMPREPLY < <(compgen -W "never soon,fail=1 now,fail=1 now,success=1" -- "$word")
      ;;
    --results | --out) mapfile -t COMPREPLY < <(compgen -A directory -- "$word") ;;
    *)
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options $common" -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -A file -- "$word")
      fi
      ;;
  esac
}

complete -o filenames -F _loadstar loadstar
