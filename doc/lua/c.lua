-- c.lua: just enough of C to colour it and to find its names.

local book = require 'book'
local List = require 'pandoc.List'
local fault = book.fault

local c = {}

-- A line becomes a list of tokens { kind, text }.  A comment that goes on
-- carries its column along.

local KEYWORDS, TYPES = {}, {}          -- programs add types of their own
c.types = TYPES
for word in ([[auto break case const continue default do else enum extern for
  goto if inline register restrict return sizeof static struct switch typedef
  union volatile while _Alignas _Alignof _Generic _Noreturn _Static_assert
  _Thread_local]]):gmatch '%S+' do KEYWORDS[word] = true end
for word in ([[void char short int long float double signed unsigned bool _Bool
  size_t ptrdiff_t intptr_t uintptr_t int8_t uint8_t int16_t uint16_t int32_t
  uint32_t int64_t uint64_t FILE va_list]]):gmatch '%S+' do
  TYPES[word] = true
end

local function kind_of(word)
  return (KEYWORDS[word] or TYPES[word]) and 'keyword' or 'name'
end

-- The text of a comment's line without its decoration.
local function comment(text, from, state)
  local close = text:find('*/', state.inside and from or from + 2, true)
  local body = text:sub(from, close and close - 1 or -1)
  if state.inside then
    body = body:gsub('^%s*%* ?', ''):gsub('^' .. (' ?'):rep(state.inside), '')
  else
    body = body:gsub('^/%*+ ?', '')
  end
  state.inside = not close and (state.inside or from + 2) or nil
  return { 'comment', (body:gsub('%s+$', '')) }, close and close + 2 or #text + 1
end

local PATTERNS = {
  { '^%s+', 'space' }, { '^[%a_][%w_]*', 'word' },
  { "^'\\?.[^']*'", 'string' },
  { '^%.?%d[%w_.]*', 'number' }, { '^%->', 'punct' },
}

local function string_token(text, at)           -- with \" inside
  local stop = at + 1
  while stop <= #text and text:sub(stop, stop) ~= '"' do
    stop = stop + (text:sub(stop, stop) == '\\' and 2 or 1)
  end
  return { 'string', text:sub(at, stop) }, stop + 1
end

local function next_token(text, at, state)
  if state.inside or text:sub(at, at + 1) == '/*' then
    return comment(text, at, state)
  elseif text:sub(at, at + 1) == '//' then
    return { 'comment', (text:sub(at + 2):gsub('^ ', '')) }, #text + 1
  elseif text:sub(at, at) == '"' then
    return string_token(text, at)
  end
  local directive = text:match('^#%s*%a+', at)
  if directive and text:sub(1, at - 1):match '^%s*$' then return { 'keyword', directive }, at + #directive end
  for _, p in ipairs(PATTERNS) do
    local found = text:match(p[1], at)
    if found then
      return { p[2] == 'word' and kind_of(found) or p[2], found }, at + #found
    end
  end
  local char = text:match(utf8.charpattern, at)
  return { 'punct', char }, at + #char
end

-- Gives each line of a piece its tokens.
function c.lex(piece)
  local state, directive = {}, false
  for _, l in ipairs(piece.lines) do
    l.tokens = List{}
    local first = l.parts[1]
    l.directive = directive or type(first) == 'string' and first:match '^%s*#'
    for _, part in ipairs(l.parts) do
      if part.use then
        l.tokens:insert { 'use', part.use }
      else
        local at, token = 1, nil
        if state.inside then                     -- the margin of a comment
          at = math.min(#part:match '^%s*' + 1, state.inside)
          l.tokens:insert { 'space', (' '):rep(state.inside - 3) }
          at = part:match '^%s*%*' and 1 or at
        end
        while at <= #part do
          token, at = next_token(part, at, state)
          l.tokens:insert(token)
        end
      end
    end
    local last = l.parts[#l.parts]
    directive = l.directive and type(last) == 'string' and last:match '\\$'
  end
  if state.inside then
    fault(piece.line, 'a comment in chunk <<%s>> is not closed.', piece.name)
  end
end

return c
