// A stand-in for libonnxruntime: says a version, and has the few functions with which an
// environment is made and a provider refused. $FAKE_ORT_VERSION is its version; the API that it was
// asked for must not be newer.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

using AnyFunction = void (*)();

AnyFunction functions[600];
char status_text[100];
int object = 0;

const char* Version() {
  const char* const version = std::getenv("FAKE_ORT_VERSION");
  return version != nullptr ? version : "1.20.0";
}

const char* MessageOf(const void* status) {
  return static_cast<const char*>(status);
}

void* CreateEnv(int /*level*/, const char* /*id*/, void** made) {
  *made = &object;
  return nullptr;
}

void* AppendProvider(void* /*options*/, const char* name, const char* const* /*keys*/,
                     const char* const* /*values*/, std::size_t count) {
  std::snprintf(status_text, sizeof(status_text), "%s is not in this build (%zu options)", name,
                count);
  return status_text;
}

void Release(void* /*object*/) {}

template <typename Function>
void Set(int position, Function* function) {
  functions[position] = reinterpret_cast<AnyFunction>(function);
}

const AnyFunction* FunctionsOf(std::uint32_t version) {
  std::fprintf(stderr, "asked for API %u\n", version);
  if (version > static_cast<std::uint32_t>(std::atoi(Version() + 2))) {
    return nullptr;
  }
  Set(2, MessageOf);
  Set(3, CreateEnv);
  Set(216, AppendProvider);
  for (const int release : {92, 93}) {
    Set(release, Release);
  }
  return functions;
}

struct Base {
  const AnyFunction* (*functions)(std::uint32_t version);
  const char* (*version)();
};

const Base kBase = {FunctionsOf, Version};

}  // namespace

extern "C" const Base* OrtGetApiBase() {
  return &kBase;
}
