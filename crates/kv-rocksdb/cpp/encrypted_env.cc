// An environment of RocksDB whose files are encrypted by functions of the caller.
//
// RocksDB's own encrypted file system puts a prefix before each file and encrypts the rest through
// an EncryptionProvider. The provider here passes all of that on. Offsets of its streams count from
// the beginning of the file, the prefix included.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/env_encryption.h"

using ROCKSDB_NAMESPACE::BlockAccessCipherStream;
using ROCKSDB_NAMESPACE::EncryptionProvider;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::EnvOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

extern "C" {

// The definition in RocksDB's db/c.cc, which its headers leave out.
struct rocksdb_env_t {
  Env* rep;
  bool is_default;
};

// The functions of the caller. None of them may unwind. All may be called by several threads.
struct persea_ciphers {
  // Writes the header of a new file to 64 bytes. Returns false if there are no random bytes.
  bool (*new_header)(const void* master, uint8_t* header);
  // Returns the stream of a header, or null if the header does not belong to `master`.
  void* (*open_stream)(const void* master, const uint8_t* header, size_t length);
  // Encrypts or decrypts bytes at an offset.
  void (*apply)(const void* stream, uint64_t offset, uint8_t* bytes, size_t length);
  void (*release_stream)(void* stream);
  void (*release_master)(const void* master);
};
}

namespace {

constexpr size_t kHeaderBytes = 64;

class Stream : public BlockAccessCipherStream {
 public:
  Stream(const persea_ciphers& ciphers, void* stream) : ciphers_(ciphers), stream_(stream) {}
  ~Stream() override { ciphers_.release_stream(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  size_t BlockSize() override { return 16; }

  Status Encrypt(uint64_t offset, char* data, size_t size) override {
    ciphers_.apply(stream_, offset, reinterpret_cast<uint8_t*>(data), size);
    return Status::OK();
  }

  Status Decrypt(uint64_t offset, char* data, size_t size) override {
    return Encrypt(offset, data, size);
  }

 protected:
  // Nothing calls these: Encrypt and Decrypt do not divide their bytes.
  void AllocateScratch(std::string&) override {}
  Status EncryptBlock(uint64_t, char*, char*) override { return Status::NotSupported(); }
  Status DecryptBlock(uint64_t, char*, char*) override { return Status::NotSupported(); }

 private:
  const persea_ciphers ciphers_;
  void* const stream_;
};

class Provider : public EncryptionProvider {
 public:
  Provider(const persea_ciphers& ciphers, const void* master, size_t prefix_bytes)
      : ciphers_(ciphers), master_(master), prefix_bytes_(prefix_bytes) {}
  ~Provider() override { ciphers_.release_master(master_); }
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  const char* Name() const override { return "PerseaEncryption"; }

  size_t GetPrefixLength() const override { return prefix_bytes_; }

  Status CreateNewPrefix(const std::string&, char* prefix, size_t length) const override {
    if (length < kHeaderBytes) {
      return Status::InvalidArgument("the prefix of an encrypted file is too short");
    }
    memset(prefix, 0, length);
    if (!ciphers_.new_header(master_, reinterpret_cast<uint8_t*>(prefix))) {
      return Status::IOError("there are no random bytes for the key of a file");
    }
    return Status::OK();
  }

  Status AddCipher(const std::string&, const char*, size_t, bool) override {
    return Status::NotSupported("keys of files come from the master key only");
  }

  Status CreateCipherStream(const std::string& name, const EnvOptions&, Slice& prefix,
                            std::unique_ptr<BlockAccessCipherStream>* result) override {
    const auto* header = reinterpret_cast<const uint8_t*>(prefix.data());
    void* stream = ciphers_.open_stream(master_, header, prefix.size());
    if (stream == nullptr) {
      return Status::Corruption("not encrypted with the key of this store, or a damaged header", name);
    }
    result->reset(new Stream(ciphers_, stream));
    return Status::OK();
  }

 private:
  const persea_ciphers ciphers_;
  const void* const master_;
  const size_t prefix_bytes_;
};

}  // namespace

extern "C" {

// Returns an environment that takes over `master`. `rocksdb_env_destroy` releases both.
rocksdb_env_t* persea_encrypted_env(const persea_ciphers* ciphers, const void* master,
                                    size_t prefix_bytes) {
  auto provider = std::make_shared<Provider>(*ciphers, master, prefix_bytes);
  auto* env = new rocksdb_env_t;
  env->rep = ROCKSDB_NAMESPACE::NewEncryptedEnv(Env::Default(), provider);
  env->is_default = false;
  return env;
}
}
