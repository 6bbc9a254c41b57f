# Sourced by scripts/release and scripts/wheels: building for a target whose standard library is
# installed, or built from its source.

sysroot=$("${RUSTC:-rustc}" --print sysroot)
host=$("${RUSTC:-rustc}" -vV | sed -n 's/^host: //p')

is_installed() { [ -d "$sysroot/lib/rustlib/$1/lib" ]; }

is_possible() { is_installed "$1" || [ -d "$sysroot/lib/rustlib/src/rust/library" ]; }

# Sets what Cargo reads, for the target $1 and, if given, flags of rustc.
configure() {
    local variable=CARGO_TARGET_${1//-/_}_RUSTFLAGS flags=${2:-}
    unset RUSTC_BOOTSTRAP CARGO_UNSTABLE_BUILD_STD
    if ! is_installed "$1"; then
        export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
        # Zig has the start files of musl.
        case $1 in *musl) flags+=" -C link-self-contained=no" ;; esac
    fi
    export "${variable^^}=$flags"
}
