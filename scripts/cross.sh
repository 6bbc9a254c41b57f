# Sourced by scripts/release and scripts/wheels to build for a target whose standard library is
# installed or can be built from source.

sysroot=$("${RUSTC:-rustc}" --print sysroot)
host=$("${RUSTC:-rustc}" -vV | sed -n 's/^host: //p')

is_installed() { [ -d "$sysroot/lib/rustlib/$1/lib" ]; }

is_possible() { is_installed "$1" || [ -d "$sysroot/lib/rustlib/src/rust/library" ]; }

# Sets the environment of Cargo for the target $1, with optional rustc flags.
configure() {
    local variable=CARGO_TARGET_${1//-/_}_RUSTFLAGS flags=${2:-}
    unset RUSTC_BOOTSTRAP CARGO_UNSTABLE_BUILD_STD
    if ! is_installed "$1"; then
        export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
        # Zig provides the startup files of musl.
        case $1 in *musl) flags+=" -C link-self-contained=no" ;; esac
    fi
    export "${variable^^}=$flags"
}
