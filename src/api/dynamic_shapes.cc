#include "src/api/dynamic_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kOpen = "-1";
constexpr char kRange = '~';  // "1~8": an extent of 1 to 8

// One input of --input_shape, with -1 where a profile decides.
struct OpenInput {
  std::string name;
  std::vector<std::string> extents;

  [[nodiscard]] std::int64_t open() const { return std::ranges::count(extents, kOpen); }

  [[nodiscard]] bool has_range() const {
    return std::ranges::any_of(extents, [](const std::string& extent) {
      return extent.find(kRange) != std::string::npos;
    });
  }
};

std::vector<OpenInput> ParseOpen(std::string_view text) {
  std::vector<OpenInput> inputs;
  for (const std::string_view part : Split(text, ';')) {
    const std::string_view item = Trim(part);
    const std::size_t colon = item.rfind(':');
    if (item.empty()) {
      continue;
    }
    OpenInput input{.name = std::string(item.substr(0, colon)), .extents = {}};
    if (colon != std::string_view::npos && !Trim(item.substr(colon + 1)).empty()) {
      for (const std::string_view extent : Split(item.substr(colon + 1), ',')) {
        input.extents.emplace_back(Trim(extent));
      }
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// Sizes that replace the -1 of an input, for one profile.
using Fill = std::function<std::vector<std::string>(const OpenInput& input)>;

std::string Filled(const std::vector<OpenInput>& inputs, const Fill& fill) {
  std::vector<std::string> items;
  for (const OpenInput& input : inputs) {
    std::vector<std::string> extents = input.extents;
    const std::vector<std::string> sizes = input.open() > 0 ? fill(input) : extents;
    auto next = sizes.begin();
    for (std::string& extent : extents) {
      extent = extent == kOpen ? *next++ : extent;
    }
    items.push_back(fmt::format("{}:{}", input.name, fmt::join(extents, ",")));
  }
  return Join(items, ";");
}

// "1,20" of an option; each is a whole number of at least 0.
std::vector<std::string> Sizes(std::string_view option, std::string_view text) {
  std::vector<std::string> sizes;
  for (const std::string_view part : Split(text, ',')) {
    const std::string_view size = Trim(part);
    if (!NumberIn(size, limits::kExtentRange)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("E10001: --{}={}: '{}' is no size; expected {}", option, Shown(text),
                              Shown(size), RangeText(limits::kExtentRange)));
    }
    sizes.emplace_back(size);
  }
  return sizes;
}

[[noreturn]] void ThrowFit(std::string_view option, std::string_view profile,
                           const std::string& expected) {
  throw Error(ErrorKind::kUsage,
              fmt::format("E10001: --{}: '{}': {}", option, Shown(profile), expected));
}

// A way to fill the -1 of all inputs with the sizes of a profile.
struct DynamicOption {
  std::string_view name;
  std::string DynamicShapes::*text;
  char separator;  // of profiles
  Fill (*fill)(const std::vector<OpenInput>& inputs, std::string_view profile);
};

Fill FillBatch(const std::vector<OpenInput>& /*inputs*/, std::string_view profile) {
  return [sizes = Sizes("dynamic_batch_size", profile)](const OpenInput& input) {
    if (input.open() != 1 || input.extents.front() != kOpen) {
      ThrowFit("dynamic_batch_size", sizes.front(),
               fmt::format("expected one -1 in input '{}', in front, found {} in \"{}\"",
                           Shown(input.name), input.open(), Join(input.extents, ",")));
    }
    return sizes;
  };
}

Fill FillImage(const std::vector<OpenInput>& /*inputs*/, std::string_view profile) {
  std::vector<std::string> sizes = Sizes("dynamic_image_size", profile);
  if (sizes.size() != 2) {
    ThrowFit("dynamic_image_size", profile, "expected a height and a width, as in \"224,224\"");
  }
  return [sizes](const OpenInput& input) {
    if (input.open() != 2) {
      ThrowFit(
          "dynamic_image_size", Join(sizes, ","),
          fmt::format("expected two -1 in input '{}', its height and width, found {} in \"{}\"",
                      Shown(input.name), input.open(), Join(input.extents, ",")));
    }
    return sizes;
  };
}

Fill FillAll(const std::vector<OpenInput>& inputs, std::string_view profile) {
  std::vector<std::string> sizes = Sizes("dynamic_dims", profile);
  std::int64_t open = 0;
  for (const OpenInput& input : inputs) {
    open += input.open();
  }
  if (static_cast<std::int64_t>(sizes.size()) != open) {
    ThrowFit("dynamic_dims", profile,
             fmt::format("expected a size for each -1 of --input_shape, {} in all, found {}", open,
                         sizes.size()));
  }
  return [sizes, next = std::size_t{0}](const OpenInput& input) mutable {
    const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(next);
    next += static_cast<std::size_t>(input.open());
    return std::vector<std::string>(first, first + input.open());
  };
}

constexpr DynamicOption kDynamicOptions[] = {
    {"dynamic_batch_size", &DynamicShapes::dynamic_batch_size, ',', FillBatch},
    {"dynamic_image_size", &DynamicShapes::dynamic_image_size, ';', FillImage},
    {"dynamic_dims", &DynamicShapes::dynamic_dims, ';', FillAll},
};

// The dynamic option that is given; null: none.
const DynamicOption* GivenOption(const DynamicShapes& shapes) {
  const DynamicOption* given = nullptr;
  for (const DynamicOption& option : kDynamicOptions) {
    if ((shapes.*option.text).empty()) {
      continue;
    }
    if (given != nullptr) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("E10001: --{} and --{} exclude each other; leave one of them out",
                              given->name, option.name));
    }
    given = &option;
  }
  return given;
}

void RefuseOpen(const std::string& text) {
  for (const OpenInput& input : ParseOpen(text)) {
    if (input.open() > 0) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("E10001: --input_shape=\"{}\": nothing says what the -1 of input '{}' "
                      "is; expected --dynamic_batch_size, --dynamic_image_size or "
                      "--dynamic_dims",
                      Shown(text), Shown(input.name)));
    }
  }
}

// The least and the greatest extent of "1~8". Error kUsage.
std::pair<std::string, std::string> EndsOf(const std::string& text, const std::string& extent) {
  const std::vector<std::string_view> ends = Split(extent, kRange);
  const auto least = NumberIn(Trim(ends.front()), limits::kExtentRange);
  const auto most = NumberIn(Trim(ends.back()), limits::kExtentRange);
  if (ends.size() != 2 || !least || !most || *least > *most) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --input_shape=\"{}\": '{}' is no range of extents; expected "
                            "its least and its greatest, as in 1~8",
                            Shown(text), Shown(extent)));
  }
  return {std::string(Trim(ends.front())), std::string(Trim(ends.back()))};
}

// A text with ranges: the shape of their least extents, and that of their greatest.
std::vector<std::string> WithoutRanges(const std::string& text) {
  std::vector<OpenInput> least = ParseOpen(text);
  if (std::ranges::none_of(least, &OpenInput::has_range)) {
    return {text};
  }
  std::vector<OpenInput> most = least;
  for (std::size_t input = 0; input < least.size(); ++input) {
    for (std::size_t i = 0; i < least[input].extents.size(); ++i) {
      if (std::string& extent = least[input].extents[i]; extent.find(kRange) != std::string::npos) {
        std::tie(extent, most[input].extents[i]) = EndsOf(text, extent);
      }
    }
  }
  const auto text_of = [](const std::vector<OpenInput>& inputs) { return Filled(inputs, {}); };
  if (text_of(least) == text_of(most)) {
    return {text_of(least)};
  }
  return {text_of(least), text_of(most)};
}

}  // namespace

std::vector<std::string> InputShapesOf(const DynamicShapes& shapes) {
  const DynamicOption* option = GivenOption(shapes);
  if (option == nullptr) {
    std::vector<std::string> texts;
    for (const std::string& text : shapes.input_shape) {
      RefuseOpen(text);
      const std::vector<std::string> ends = WithoutRanges(text);
      texts.insert(texts.end(), ends.begin(), ends.end());
    }
    return texts.empty() ? std::vector<std::string>(1) : texts;
  }
  if (shapes.input_shape.size() != 1) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: --{} fills the -1 of one --input_shape, found {}; expected for "
                    "example --input_shape=\"x:-1,3,224,224\"",
                    option->name, shapes.input_shape.size()));
  }
  const std::vector<OpenInput> inputs = ParseOpen(shapes.input_shape.front());
  if (std::ranges::none_of(inputs, [](const OpenInput& input) { return input.open() > 0; })) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --{}: --input_shape=\"{}\" has no -1 to fill", option->name,
                            Shown(shapes.input_shape.front())));
  }
  if (std::ranges::any_of(inputs, &OpenInput::has_range)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --{} and ranges in --input_shape=\"{}\" exclude each other; "
                            "leave one of them out",
                            option->name, Shown(shapes.input_shape.front())));
  }
  std::vector<std::string> texts;
  for (const std::string_view profile : Split(shapes.*option->text, option->separator)) {
    if (!Trim(profile).empty()) {  // also the end of "224,224;"
      texts.push_back(Filled(inputs, option->fill(inputs, Trim(profile))));
    }
  }
  return texts;
}

}  // namespace halftone
