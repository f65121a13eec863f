// Classes of the command-line parser, declared for headers: its own header takes long to compile.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
class ParseError;
}  // namespace CLI
