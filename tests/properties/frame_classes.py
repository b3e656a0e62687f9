"""A second implementation of the classes of frames, and of folding, after the rules in the manual.  It uses no
pattern of the program; names are split by a parser that builds a list of pieces."""
import re

FOLDED = {'all': set(), 'no-alloc': {'allocator'},
          'no-std': {'allocator', 'start-up', 'wrapper', 'standard'},
          'no-libs': {'allocator', 'start-up', 'wrapper', 'standard', 'library'}}
OPEN, CLOSE = '<([{', '>)]}'

# --- names ----------------------------------------------------------------------------------------


def group(name, at):
    """The place after the bracket that closes the one at `at`, or the end."""
    depth = 0
    for i in range(at, len(name)):
        if name[i] in CLOSE and not (name[i] == '>' and name[i - 1] == '-'):
            depth -= 1
            if depth == 0:
                return i + 1
        elif name[i] in OPEN:
            depth += 1
    return len(name)


def self_type(name):
    """'A::m' of Rust's '<A as B>::m', which may be nested."""
    if not name.startswith('<') or re.match(r'<(lambda|unnamed|impl )', name):
        return name
    end = group(name, 0)
    inside = re.sub(r'^(&|mut |\*const |\*mut |dyn )+', '', name[1:end - (name[end - 1:end] == '>')])
    inside = self_type(inside)
    depth = 0
    for i, c in enumerate(inside):
        if c in OPEN:
            depth += 1
        elif c in CLOSE and not (c == '>' and inside[i - 1] == '-'):
            depth -= 1
        elif depth == 0 and inside.startswith(' as ', i):
            inside = inside[:i]
            break
    return inside + name[end:]


def bare(name):
    """The name without return type, parameters and template arguments."""
    from_self = name.startswith('<')
    name, out, at, has_list = self_type(name), '', 0, False
    while at < len(name):
        word = re.match(r'operator(?!\w)', name[at:])
        if word and not re.search(r'\w$', out):
            sign = re.match(r'operator([-+*/%^&|~!=<>,]+|\(\)|\[\]| (?:new|delete)(?:\[\])?(?!\w)|)',
                            name[at:])
            out, at = out + sign[0], at + len(sign[0])
            if not sign[1]:  # of a type: all up to its parameters is the name
                end = name.find('(', at)
                out, at = out + name[at:end if end >= 0 else len(name)], end if end >= 0 else len(name)
            continue
        c = name[at]
        if c in OPEN:
            end = group(name, at)
            is_kept = (c == '{' or (c == '(' and (not out or out.endswith('.') or
                                                  name.startswith('(anonymous namespace)', at))) or
                       (c == '[' and not out) or
                       (c == '<' and (not out or out.endswith('::')) and
                        re.match(r'<(lambda|unnamed|impl )', name[at:])))
            if is_kept:
                out += name[at:end]
            elif c == '<' and out.endswith('::'):
                out = out[:-2]
            has_list |= c == '(' and not is_kept
            at = end
        elif c == ' ' and not from_self:
            qualifier = re.match(r'( (const|volatile|noexcept|&&|&)(?=$|::| |\[))+', name[at:])
            if name.startswith(' [clone', at):
                break
            if has_list and qualifier:
                at += len(qualifier[0])
            elif name.startswith(' <', at):
                at += 1
            else:
                out, at, has_list = '', at + 1, False
        else:
            out, at = out + c, at + 1
    out = re.sub(r'(?<=.)(@|\.part\.|\.isra\.|\.constprop\.|\.cold|\.llvm\.|\.lto_priv\.|\.localalias).*$', '',
                 out.rstrip(), flags=re.S)
    return re.sub(r'(?<=.)::h[0-9a-f]{16}$', '', out)


# --- classes --------------------------------------------------------------------------------------

PLAIN = ('malloc calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc '
         'mallocx rallocx xallocx smallocx cfree free nallocx dallocx sdallocx').split()
NEW = ['new' + a + b for a in ('', 'array') for b in ('', '_nothrow', '_aligned')]
PREFIXES = ['', 'je_', '_rjem_', '_rjem_je_', 'tc_', '__libc_', 'jemalloc_', '__interceptor_']
PUBLIC = {p + f for p in PREFIXES for f in PLAIN} | {
    p + f for p in ('je_', '_rjem_', '_rjem_je_', 'tc_', 'jemalloc_') for f in NEW} | {
    'operator new', 'operator new[]', '__builtin_new', '__builtin_vec_new'}
INTERNAL = ('prof_backtrace_impl prof_backtrace prof_tctx_create prof_alloc_prep '
            'prof_alloc_prep_impl prof_recent_alloc imalloc imalloc_body imalloc_fastpath '
            'imalloc_sample malloc_default fallback_impl fallbackNewImpl newImpl irallocx_prof '
            'irallocx_prof_sample ixallocx_prof do_rallocx do_realloc_nonnull_zero').split()
SCOPES = ('std::allocator std::allocator_traits std::__new_allocator std::__1::allocator '
          'std::__1::allocator_traits std::__1::__new_allocator __gnu_cxx::new_allocator '
          '__gnu_cxx::__alloc_traits simple_alloc __malloc_alloc_template').split()
METHODS = {f'{scope}::allocate' for scope in SCOPES} | {
    'std::__1::__libcpp_allocate', 'std::__1::__libcpp_operator_new'}


def is_mimalloc(name):
    rest = name.removeprefix('mi_')
    return name.startswith('_mi_') or (name.startswith('mi_') and (
        re.match('[a-z]*alloc', rest) is not None or rest.startswith((
            'new', 'heap', 'theap', 'page', 'arena', 'segment', 'strdup', 'strndup', 'realpath', 'free', 'expand', 'find_'))))


def is_allocator_name(name, full):
    tail = name.rpartition('(anonymous namespace)::')[2]
    internal = any(name == f or (name.endswith('_' + f) and ':' not in name) for f in INTERNAL)
    rust = name.removeprefix('__rustc::')
    return (name in PUBLIC or name in METHODS or internal or
            name.startswith(('tcmalloc::', 'TCMallocInternal')) or is_mimalloc(name) or
            (tail in ('do_malloc', 'do_malloc_or_cpp_alloc') and
             tail in (name, name[-len(tail):])) or name == 'DoSampledAllocation' or
            full.removeprefix('void* ').startswith(('fast_alloc<tcmalloc::', 'slow_alloc<tcmalloc::')) or
            rust.startswith(('__rdl_', '__rg_')) or
            (rust.startswith('__rust_') and not rust.startswith(('__rust_begin_', '__rust_end_'))) or
            name.startswith(('alloc::alloc::', 'std::alloc::System::', 'mimalloc::MiMalloc::',
                             'jemallocator::Jemalloc::', 'tikv_jemallocator::Jemalloc::')))


def is_start_up(name):
    return (name in ('_start', 'start_thread', 'clone', 'clone3', '_dl_start_user', '_dl_init',
                     'call_init', 'runtime.main', 'runtime.goexit',
                     'execute_native_thread_routine') or
            name.startswith(('__libc_start_', 'runtime.mstart', 'std::rt::lang_start')) or
            name.rpartition('::')[2] == '__rust_begin_short_backtrace')


BASES = 'malloc calloc realloc strdup strndup memdup zalloc'.split()
LISTED = {p + base + s for p in ('x', 'z', 'g_', 'my_', 's', 'ruby_x', '_e') for base in BASES
          for s in ('', '_usable', '0', '_n', '_array')} | {
    'my_multi_malloc', 'my_multi_malloc_large', 'palloc', 'palloc0', 'repalloc', 'AllocSetAlloc',
    'apr_palloc', 'apr_pcalloc', 'ngx_alloc', 'ngx_palloc'} | {
    f'{under}Py{what}_{raw}{does}' for under in ('', '_') for what in ('Mem', 'Object')
    for raw in ('', 'Raw') for does in ('Malloc', 'Calloc', 'Realloc')}


RUNTIMES = set('AllocSetAllocLarge AllocSetAllocFromNewBlock AllocSetAllocChunkFromBlock os::malloc os::realloc '
               'os::strdup AllocateHeap ReallocateHeap Unsafe_AllocateMemory Unsafe_AllocateMemory0 '
               'Unsafe_ReallocateMemory Unsafe_ReallocateMemory0 PyByteArray_Resize default_malloc default_calloc '
               'default_realloc'.split()) | {
    f'PyDataMem_{user}{new}{zeroed}' for user in ('', 'User') for new in ('NEW', 'RENEW') for zeroed in ('', '_ZEROED')} | {
    f'node::NodeArrayBufferAllocator::{how}' for how in ('Allocate', 'AllocateUninitialized', 'Reallocate')}


def is_wrapper(name):
    last = name.rpartition('::')[2]
    return (last in LISTED or name in RUNTIMES or bool(re.match(r'_cgo_[0-9a-f]+_C2?func_', name)) or
            last.startswith(('ztry', 'MemoryContextAlloc', 'av_malloc', 'talloc_')) or
            (last.startswith('CRYPTO_') and last.endswith(('alloc', 'strdup', 'memdup'))) or
            (last.startswith('sqlite3') and last.endswith(('Malloc', 'Realloc'))) or
            (last.startswith('uv__') and last.endswith('alloc')))


GO = set('archive bufio builtin bytes cmp compress container context crypto database debug embed '
         'encoding errors expvar flag fmt go hash html image index internal io iter log maps math '
         'mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync '
         'syscall testing text time unicode unique unsafe vendor weak'.split())


def is_go_root(file):
    if file.startswith('/usr/local/go/src/') or re.match(r'/usr/(lib|share)/go[^/]*/src/', file) or \
            re.search(r'golang\.org/toolchain@[^/]*/src/', file):
        return True
    first, slash, _ = file.partition('/')
    return bool(slash) and first in GO and file.endswith(('.go', '.s')) and '@' not in file


def is_standard_file(file):
    if '/rustc/' in file and re.search('/rustc/[^/]+/library/', file):
        return True
    return (any(part in file for part in (
        '/include/c++/', '/c++/v1/', '/rustlib/src/', '/rust/deps/', 'boost/container',
        'absl/container', 'folly/container', 'folly/FBString', '/include/fmt/', '/fmt/bundled/')) or
        is_go_root(file) or
        any(re.match(r'(hashbrown|smallvec|indexmap|bytes)-\d', part) for part in file.split('/')[1:]))


def is_library_file(file):
    in_cargo = any(part.lstrip('.') == 'cargo' and
                   re.match('registry/src/|git/checkouts/', '/'.join(file.split('/')[i + 1:]))
                   for i, part in enumerate(file.split('/')) if part in ('cargo', '.cargo'))
    of_module = file.endswith('.go') and not file.startswith('/') and '@v' in file and \
        file.partition('@v')[2][:1].isdigit() and '@' not in file.partition('@')[2]
    return (in_cargo or of_module or file.startswith(('/usr/include/', '/usr/local/include/')) or
            any(part in file for part in ('/pkg/mod/', '/_deps/', '/third_party/',
                                          '/node_modules/')))


STANDARD_MODULES = ('libc', 'libm', 'libpthread', 'libdl', 'libstdc++', 'libc++', 'libc++abi',
                    'libgcc_s', 'libatomic', 'libgomp')


def is_standard_module(base):
    return base.startswith(('ld-linux', 'ld-musl')) or re.match(r'ld-\d', base) or any(
        base.startswith(name) and re.match(r'\.|-\d', base[len(name):]) for name in STANDARD_MODULES)


def is_allocator_module(base):
    return base.startswith(('libjemalloc', 'libtcmalloc', 'libmimalloc', 'libhprof-sampler')) or \
        re.match(r'lib((a|hwa|l|t|m|ub)san|clang_rt\.[a-z_]*san)[^a-z]', base)


def is_allocator_file(file):
    return '/jemalloc/internal/' in file or any(
        re.match(r'(tikv-)?jemallocator-\d|(lib)?mimalloc-(sys-)?\d', part)
        for part in file.split('/')[1:-1]) or re.search('/tikv-jemalloc-sys-[^/]*/out/build/', file)


def is_interpreter(base):
    return re.match(r'lib(python[23]\.\d|jvm\.|java\.|jli\.|ruby[-.]\d|julia)', base)


def is_standard_name(name):
    first = re.match(r'[^/.]*', name)[0]
    return name.startswith(('std::', '__gnu_cxx::', 'core::', 'alloc::')) or (
        first in GO and re.match(r'(/[^.]*)?\.', name[len(first):]) is not None)


def is_library_module(module):
    return bool(re.match(r'(/usr)?/lib(32|64|x32)?/.*\.so', module) or
                re.match(r'/(nix|gnu)/store/.*\.so', module))


MACHINE = ('Interpreter', 'StubRoutines', 'I2C/C2I adapters', 'C1 temporary', 'C2 temporary', 'vtable', 'itable',
           'Builtin:', 'BytecodeHandler:', 'Stub:', 'Handler:', 'RegExp:', 'stub<', 'jfptr_')
JAVA = ('java.', 'javax.', 'jdk.', 'sun.', 'com.sun.') + tuple(
    name + end for name in ('System', 'Microsoft', 'Internal', 'Interop') for end in '.:')


def class_of_generated(full, file):
    """The class of a function that a JIT compiler made."""
    stub = re.sub(r' \(\d+\)$', '', full)
    if is_allocator_file(file):
        return 'allocator'
    if is_standard_file(file) or is_script_standard(file) or full.startswith(MACHINE + JAVA) or \
            stub.endswith(('Blob', 'Stub', 'stub', '_Java', 'adapter', 'adapters')):
        return 'standard'
    return 'library' if is_package(file) or is_library_file(file) else 'generated'


def is_script_standard(file):
    if file.startswith(('node:', '<frozen ', '<internal:')) or re.search('/lib/ruby/[0-9.]+/', file):
        return True
    found = re.search(r'(?:^|/)lib/python3\.\d+/(.*)', file, re.S)
    return bool(found) and not found[1].startswith(('site-packages/', 'dist-packages/'))


def is_package(file):
    return '/site-packages/' in file or '/dist-packages/' in file or bool(re.search('/gems/[^/]*-[0-9]', file))


NODE = tuple('node::' + name for name in (
    'Buffer', 'builtins', 'contextify', 'Realm', 'Environment', 'LoadEnvironment', 'NodeMainInstance', 'Start',
    'InternalCallbackScope', 'MakeCallback', 'InternalMakeCallback', 'AsyncWrap', 'CallbackScope', 'SpinEventLoop'))


def class_of(full, file, module):
    """The class by the first rule that matches; '' is an unknown function or file."""
    name, base = bare(full), module.rpartition('/')[2]
    if full in ('[truncated]', '[unknown]', '[unmapped]', '[empty stack]') or not (full or module):
        return 'none'
    if module == '[jit]':
        return class_of_generated(full, file)
    if is_allocator_module(base) or is_allocator_file(file) or is_allocator_name(name, full):
        return 'allocator'
    if is_start_up(name):
        return 'start-up'
    if is_wrapper(name):
        return 'wrapper'
    if is_standard_module(base) or is_standard_file(file) or is_script_standard(file) or \
            (not file and name.startswith(('v8::', 'Builtins_') + NODE)):
        return 'standard'
    if is_library_file(file) or is_package(file) or is_interpreter(base):
        return 'library'
    if file and not is_library_module(module):
        return 'own'
    if not file and is_standard_name(name):
        return 'standard'
    return 'library' if is_library_module(module) else 'own'


# --- folding --------------------------------------------------------------------------------------


def left_of(classes, which):
    """The indexes in a stack, leaf first, of the frames that are not folded."""
    left = [i for i, name in enumerate(classes) if name not in FOLDED[which]]
    if left and classes[left[0]] != 'none':
        return left
    charged = next((i for i, name in enumerate(classes) if name != 'allocator'), len(classes) - 1)
    return left if which == 'all' or charged in left else [charged, *left]
