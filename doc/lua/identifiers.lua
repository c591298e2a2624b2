-- identifiers.lua: which piece defines a name, and which use it.
--
-- The index is computed over the tangled order, where braces balance.  Only
-- what stands at a file's top level is indexed: functions, types, macros,
-- enumeration constants, variables.

local book = require 'book'
local List = require 'pandoc.List'
local c = require 'c'
local fault = book.fault

local OPENS = { ['('] = true, ['['] = true, ['{'] = true }
local CLOSES = { [')'] = true, [']'] = true, ['}'] = true }
local TAGGED = { struct = true, union = true, enum = true }

local identifiers = {}

-- The tokens of a file that matter, in tangled order.
local function tangle(name, stream, open)
  if open[name] then
    fault(open[name], 'chunk <<%s>> uses itself.', name)
    return stream
  end
  for _, piece in ipairs(book.chunks[name] or {}) do
    open[name] = piece.line
    for _, l in ipairs(piece.lines) do
      for i, t in ipairs(l.tokens) do
        if t[1] == 'use' then
          tangle(t[2], stream, open)
        elseif t[1] ~= 'comment' and t[1] ~= 'space' and t[1] ~= 'string' then
          t.piece, t.directive = piece, l.directive
          t.call = l.tokens[i + 1] and l.tokens[i + 1][2] == '('
          stream:insert(t)
        end
      end
    end
  end
  open[name] = nil
  return stream
end

-- The declarations at the top level of a file, as lists of tokens.
-- Directives belong to none.
local function declarations(stream, file)
  local out, item, depth, body = List{}, List{}, 0, false
  for _, t in ipairs(stream) do
    if not t.directive then
      local text, last = t[2], item[#item]
      if text == '{' and depth == 0 then body = last and last[2] == ')' end
      item:insert(t)
      if OPENS[text] then depth = depth + 1 end
      if CLOSES[text] then depth = depth - 1 end
      if depth == 0 and (text == ';' or text == '}' and body) then
        out:insert(item)
        item, body = List{}, false
      end
    end
  end
  if depth ~= 0 then
    fault(stream[1].piece.line, 'the braces of %s do not balance.', file)
  end
  return out
end

---------------------------------------------------------------- definitions

-- Of two definitions the first counts; of a declaration and a definition, the
-- definition.  What is static is its file's own.
local function define(token, sort, file)
  local name = token[2]
  local key = file and file .. ':' .. name or name
  local old = book.defined[key]
  if old and (old.sort ~= 'declared' or sort == 'declared') then return end
  book.defined[key] = { name = name, key = key, sort = sort, token = token,
                        piece = token.piece, users = List{} }
end

-- What a declaration defines, by its shape.
local function define_declared(s, file)
  local depth, seen, typedef = 0, {}, nil
  local function text(i) return s[i] and s[i][2] or '' end
  local function name(i)
    local t, before, after = s[i], text(i - 1), text(i + 1)
    if seen.enum and not seen['('] and depth == 1
       and (before == '{' or before == ',') then
      define(t, 'constant')
    elseif depth == 0 and TAGGED[before] then
      if after == '{' then define(t, 'type') end
    elseif seen.typedef then
      if depth == 0 or depth == 1 and before == '*' and text(i - 2) == '(' then
        typedef = t
      end
    elseif depth == 0 and not seen['='] and not seen['('] then
      local own = seen.static and file
      if after == '(' then
        define(t, text(#s) == '}' and 'function' or 'declared', own)
      elseif before ~= '' and (after == '=' or after == ';' or after == '[') then
        define(t, seen.extern and 'declared' or 'variable', own)
      end
    end
  end
  for i, t in ipairs(s) do
    if CLOSES[t[2]] then depth = depth - 1 end
    if t[1] == 'name' then name(i) end
    if depth == 0 then seen[t[2]] = true end
    if OPENS[t[2]] then depth = depth + 1 end
  end
  if typedef then define(typedef, 'type') end
end

local function define_macros(stream)
  for i, t in ipairs(stream) do
    if t.directive and t[2]:match '^#%s*define' and stream[i + 1] then
      define(stream[i + 1], 'macro')
    end
  end
end

----------------------------------------------------------------------- uses

local function refer(t, file, is_prototype)
  local d = book.defined[file .. ':' .. t[2]] or book.defined[t[2]]
  if not d then return end
  if d.sort == 'macro' and d.token.call and not t.call then return end
  t.refers = d
  if d.token == t then t.defines = d
  elseif not is_prototype then t.piece.uses[d] = true end
end

-- Does s[i] declare a local name?  Then a type stands before it.
local function is_local(s, i)
  local t, after, k = s[i], s[i + 1], i - 1
  while s[k] and (s[k][2] == '*' or s[k][2] == 'const') do k = k - 1 end
  return s[k] and c.types[s[k][2]] and not t.call
    and not (c.types[t[2]] and after and after[1] == 'name')
end

-- A field (a.b, a->b, .b =) and a local name of the same spelling are no uses.
local function use_declared(s, file)
  local hidden, depth = {}, 0
  for i, t in ipairs(s) do
    local text, before = t[2], s[i - 1] and s[i - 1][2]
    if OPENS[text] then depth = depth + 1 end
    if CLOSES[text] then depth = depth - 1 end
    if t[1] == 'name' and before ~= '.' and before ~= '->' then
      if depth > 0 and is_local(s, i) then hidden[text] = true end
      if not hidden[text] then
        refer(t, file, depth == 0 and t.call and s[#s][2] == ';')
      end
    end
  end
end

------------------------------------------------------------------ the index

function identifiers.index()
  local files = List{}
  for _, piece in ipairs(book.pieces) do
    local name = piece.name
    if piece.place == 1 and book.chunks[name].root and name:match '%.[ch]$' then
      local stream = tangle(name, List{}, {})
      files:insert { name = name, stream = stream,
                     declarations = declarations(stream, name) }
    end
  end
  for _, f in ipairs(files) do
    define_macros(f.stream)
    for _, d in ipairs(f.declarations) do define_declared(d, f.name) end
  end
  for _, d in pairs(book.defined) do
    d.piece.defines:insert(d)
    if d.sort == 'type' then c.types[d.name] = true end
  end
  for _, f in ipairs(files) do
    for _, d in ipairs(f.declarations) do use_declared(d, f.name) end
    for _, t in ipairs(f.stream) do
      if t.directive and t[1] == 'name' then refer(t, f.name) end
    end
  end
  for _, piece in ipairs(book.pieces) do
    piece.defines:sort(book.by_name)
    for d in pairs(piece.uses) do
      if piece ~= d.piece then d.users:insert(piece.number) end
    end
  end
end

return identifiers
