// Receiver of a file's content that is made piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace halftone {

// Takes the bytes of a file, in order; ends the work by an Error.
using ByteSink = std::function<void(std::string_view bytes)>;

}  // namespace halftone
