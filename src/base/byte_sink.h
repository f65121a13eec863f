// Receiver of the content of a file, piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace halftone {

// Takes the next bytes of a file. Throws Error to end the work.
using ByteSink = std::function<void(std::string_view bytes)>;

}  // namespace halftone
