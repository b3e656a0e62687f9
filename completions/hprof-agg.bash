# bash completion for hprof-agg.  Generated from the option table by hprof-agg-generator.
_hprof_agg() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' kind='' words='' i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == [-=]* || ${COMP_WORDS[i - 1]} == = ]] && continue
        command=${COMP_WORDS[i]}
        break
    done
    # "--by=li" comes as three words
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --files-from) kind=file ;;
    --tar) kind=file ;;
    --stats) kind=file ;;
    --smaps) kind=file ;;
    --recent) kind=file ;;
    --maps) kind=file ;;
    --base) kind=file ;;
    --time-from) kind=word words='' ;;
    --dumps) kind=word words='latest exit peak each sum' ;;
    --on-duplicate) kind=word words='refuse skip count' ;;
    --damaged) kind=word words='use reject' ;;
    --max-skipped) kind=word words='' ;;
    --min-age) kind=word words='' ;;
    --max-input-size) kind=word words='' ;;
    --metric) kind=word words='inuse-space inuse-objects alloc-space alloc-objects NAME' ;;
    --folded-unit) kind=word words='bytes objects' ;;
    --large-sizes) kind=word words='classes pages' ;;
    --estimator) kind=word words='unbiased jeprof none' ;;
    --by) kind=word words='function line file module build address group input thread size program process age' ;;
    --groups) kind=file ;;
    --label-from) kind=word words='' ;;
    --names) kind=word words='short full' ;;
    --focus) kind=word words='' ;;
    --ignore) kind=word words='' ;;
    --hide) kind=word words='' ;;
    --show) kind=word words='' ;;
    --show-from) kind=word words='' ;;
    --thread) kind=word words='' ;;
    --older-than) kind=word words='' ;;
    --frames) kind=word words='no-std no-libs no-alloc all' ;;
    --wrapper) kind=word words='' ;;
    --own) kind=word words='' ;;
    --frame-rules) kind=file ;;
    --only) kind=word words='grown' ;;
    -n | --limit) kind=word words='' ;;
    --sort) kind=word words='flat cum name' ;;
    --unit) kind=word words='auto B KiB MiB GiB' ;;
    --confidence) kind=word words='' ;;
    --width) kind=word words='' ;;
    --min-share) kind=word words='' ;;
    --columns) kind=word words='sizes age spread' ;;
    --see) kind=word words='' ;;
    --sample-cost) kind=word words='' ;;
    --fail-if) kind=word words='' ;;
    --symbol-dir) kind=directory ;;
    --perf-map) kind=file ;;
    --path-map) kind=word words='' ;;
    --source-dir) kind=directory ;;
    --sandbox) kind=word words='auto require off' ;;
    -f | --format) kind=word words='text markdown json tsv benchmark folded difffolded callgrind speedscope dhat dot svg pdf pprof firefox html hpa'
        [[ $command == rows ]] && words='ndjson.zst ndjson.gz ndjson' ;;
    -o | --output) kind=file ;;
    --tasks) kind=word words='' ;;
    --shard) kind=word words='' ;;
    --redact-key) kind=file ;;
    --flavor) kind=word words='pprof pyroscope parca datadog' ;;
    --max-samples) kind=word words='' ;;
    --max-depth) kind=word words='' ;;
    --max-bytes) kind=word words='' ;;
    --color) kind=word words='auto always never' ;;
    --progress) kind=word words='auto always never' ;;
    -j | --jobs) kind=word words='' ;;
    --max-memory) kind=word words='' ;;
    esac
    if [[ -z $kind && $cur == -* ]]; then
        kind=word
        case $command in
        top) words='--files-from= --tar= --stats= --maps= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --label-from= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --limit= --sort= --cum --unit= --confidence= --width= --columns= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        tree) words='--files-from= --tar= --maps= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --limit= --unit= --confidence= --width= --invert --min-share= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        peek) words='--files-from= --tar= --maps= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --limit= --sort= --cum --unit= --confidence= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        list) words='--files-from= --tar= --maps= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --limit= --unit= --confidence= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --source-dir= --no-symbols --sandbox= --format= --output= --redact --redact-key= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        stacks) words='--files-from= --tar= --maps= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --label-from= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --limit= --unit= --confidence= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        diff) words='--files-from= --tar= --maps= --to --base= --dumps= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --limit= --cum --unit= --confidence= --width= --fail-if= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        trend) words='--files-from= --tar= --maps= --time-from= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --limit= --cum --unit= --confidence= --width= --fail-if= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        merge) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        info) words='--files-from= --tar= --stats= --maps= --dumps= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --folded-unit= --large-sizes= --estimator= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --used --redact --redact-key= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        account) words='--files-from= --stats= --smaps= --maps= --dumps= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --folded-unit= --large-sizes= --estimator= --no-inlines --names= --frames= --wrapper= --own= --frame-rules= --limit= --unit= --confidence= --width= --waste --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        lifetime) words='--files-from= --tar= --recent= --maps= --time-from= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --folded-unit= --large-sizes= --by= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --frames= --wrapper= --own= --frame-rules= --limit= --cum --unit= --confidence= --width= --pairs --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        plan) words='--files-from= --tar= --stats= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --folded-unit= --large-sizes= --by= --no-inlines --names= --frames= --wrapper= --own= --frame-rules= --unit= --confidence= --width= --see= --sample-cost= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        rows) words='--files-from= --tar= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --large-sizes= --groups= --label-from= --no-inlines --names= --wrapper= --own= --frame-rules= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --sandbox= --format= --output= --add-names --redact --redact-key= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        manifest) words='--files-from= --dumps= --null --output= --tasks= --quiet --help --version' ;;
        digest) words='--help --version' ;;
        jeprof) words='' ;;
        doctor) words='' ;;
        help) words='--help --version --all' ;;
        version) words='--help --version --licenses --build-options' ;;
        benchmark) words='--files-from= --tar= --stats= --maps= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --label-from= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --limit= --sort= --cum --unit= --confidence= --width= --columns= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        folded) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        difffolded) words='--files-from= --tar= --maps= --to --base= --dumps= --null --on-duplicate= --keep-unmapped --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --no-inlines --names= --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --limit= --cum --unit= --confidence= --width= --fail-if= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        callgrind) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        speedscope) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        dhat) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        dot) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        svg) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        pdf) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        pprof) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        firefox) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        hpa) words='--files-from= --tar= --maps= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --width= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --no-symbols --sandbox= --format= --output= --shard= --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version' ;;
        *) words='--files-from= --tar= --stats= --smaps= --recent= --maps= --to --base= --time-from= --dumps= --null --on-duplicate= --keep-unmapped --no-input-ids --with-builds --with-names --damaged= --wait --max-skipped= --min-age= --max-input-size= --metric= --inuse_space --inuse_objects --alloc_space --alloc_objects --folded-unit= --large-sizes= --estimator= --by= --groups= --label-from= --no-inlines --names= --timeline --focus= --ignore= --hide= --show= --show-from= --thread= --older-than= --frames= --wrapper= --own= --frame-rules= --only= --limit= --sort= --cum --unit= --confidence= --width= --invert --min-share= --columns= --pairs --waste --see= --sample-cost= --fail-if= --symbol-dir= --symbol-dir-only --perf-map= --path-map= --source-dir= --no-symbols --sandbox= --format= --output= --add-names --tasks= --shard= --used --redact --redact-key= --flavor= --with-error --max-samples= --max-depth= --max-bytes= --color= --progress= --quiet --verbose --jobs= --max-memory= --help --version --all --licenses --build-options' ;;
        esac
    elif [[ -z $kind && ( -z $command || $command == help ) ]]; then
        kind=word words='top tree peek list stacks diff trend merge info account lifetime plan rows manifest digest jeprof doctor help version benchmark folded difffolded callgrind speedscope dhat dot svg pdf pprof firefox hpa'
    elif [[ -z $kind ]]; then
        kind=file
    fi
    case $kind in
    file) compopt -o default 2>/dev/null ;;
    directory)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    word)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null
        ;;
    esac
    return 0
}
complete -F _hprof_agg hprof-agg
