#include "src/runtimes/onnxruntime/ort_session.h"

namespace halftone {
namespace {

// Values of enumerations of onnxruntime_c_api.h.
constexpr int kBasicOptimizations = 1;
constexpr int kAllOptimizations = 99;

OrtHandle OptionsFor(const OrtApi& api, const OrtSessionOptions& wanted) {
  OrtHandle options = api.Make(OrtCall::kCreateSessionOptions, OrtCall::kReleaseSessionOptions);
  api.Call(OrtCall::kSetGraphOptimizationLevel, options.get(),
           wanted.folded_path.empty() ? kAllOptimizations : kBasicOptimizations);
  if (!wanted.folded_path.empty()) {
    api.Call(OrtCall::kSetOptimizedModelPath, options.get(), wanted.folded_path.c_str());
  }
  api.Call(OrtCall::kSetIntraOpThreads, options.get(), wanted.threads);
  api.Call(OrtCall::kSetInterOpThreads, options.get(), 1);
  for (const auto& [key, value] : wanted.config) {
    api.Call(OrtCall::kAddConfigEntry, options.get(), key.c_str(), value.c_str());
  }
  if (!wanted.profile_prefix.empty()) {
    api.Call(OrtCall::kEnableProfiling, options.get(), wanted.profile_prefix.c_str());
  }
  for (const OrtProvider& provider : wanted.providers) {
    AppendProvider(api, options.get(), provider);
  }
  return options;
}

}  // namespace

OrtSession::OrtSession(const OrtApi& api, std::string_view model, const OrtSessionOptions& options)
    : api_(&api),
      session_(api.Make(OrtCall::kCreateSessionFromArray, OrtCall::kReleaseSession,
                        static_cast<const void*>(api.environment()),
                        static_cast<const void*>(model.data()), model.size(),
                        static_cast<const void*>(OptionsFor(api, options).get()))) {
  ReadNames();
}

OrtSession::OrtSession(const OrtApi& api, const std::filesystem::path& model,
                       const OrtSessionOptions& options)
    : api_(&api),
      session_(api.Make(OrtCall::kCreateSession, OrtCall::kReleaseSession,
                        static_cast<const void*>(api.environment()), model.c_str(),
                        static_cast<const void*>(OptionsFor(api, options).get()))) {
  ReadNames();
}

std::string OrtSession::EndProfiling() {
  void* allocator = nullptr;  // the runtime's own
  api_->Call(OrtCall::kDefaultAllocator, &allocator);
  char* path = nullptr;
  api_->Call(OrtCall::kEndProfiling, session_.get(), allocator, &path);
  return api_->TakeText(allocator, path);
}

void OrtSession::ReadNames() {
  input_names_ = Names(OrtCall::kInputCount, OrtCall::kInputName);
  output_names_ = Names(OrtCall::kOutputCount, OrtCall::kOutputName);
}

std::vector<std::string> OrtSession::Names(OrtCall count_call, OrtCall name_call) const {
  std::size_t count = 0;
  api_->Call(count_call, static_cast<const void*>(session_.get()), &count);
  void* allocator = nullptr;  // the runtime's own
  api_->Call(OrtCall::kDefaultAllocator, &allocator);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    api_->Call(name_call, static_cast<const void*>(session_.get()), i, allocator, &name);
    names.push_back(api_->TakeText(allocator, name));
  }
  return names;
}

}  // namespace halftone
