//! Compiles the environment of encrypted files against the headers of the RocksDB that is linked.

fn main() {
    let source = "cpp/encrypted_env.cc";
    println!("cargo::rerun-if-changed={source}");
    let mut build = cc::Build::new();
    // The package of RocksDB names its headers for those who depend on it.
    if let Some(include) = std::env::var_os("DEP_ROCKSDB_INCLUDE") {
        build.include(include);
    }
    // As RocksDB itself is compiled: without type information, its classes have none to inherit.
    build.cpp(true).std("c++20").flag("-fno-rtti").define("NDEBUG", "1").warnings(false);
    build.file(source).compile("persea_encrypted_env");
}
