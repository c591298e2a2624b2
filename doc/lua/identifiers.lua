-- identifiers.lua: which piece defines a name, and which use it.
--
-- The index is computed over the tangled order, where braces balance.  Only
-- what stands at a file's top level is indexed: functions, types, macros,
-- enumeration constants, variables.  A name is looked up as C does: first what
-- is local, then its file, then the headers that it includes.  Where that is
-- unsure the name is no link.

local book = require 'book'
local List = require 'pandoc.List'
local c = require 'c'
local fault = book.fault

local OPENS = { ['('] = true, ['['] = true, ['{'] = true }
local CLOSES = { [')'] = true, [']'] = true, ['}'] = true }
local TAGGED = { struct = true, union = true, enum = true }

local identifiers = {}

local function empty_stream()
  local stream = List{}
  stream.includes = List{}
  return stream
end

-- The tokens of a file that matter, in tangled order, and what it includes.
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
        elseif t[1] == 'string' and l.directive then
          stream.includes:insert(t[2]:sub(2, -2))
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

local scope = {}                -- file -> name -> its definition
local linked = {}               -- name -> its definition, for other files

-- Of two definitions the first counts; of a declaration and a definition, the
-- definition.  A tag is a type only behind its struct, union or enum.
local function define(token, sort, file, how)
  local name, old = token[2], scope[file][token[2]]
  if old then
    if sort == 'type' then old.tag = old.tag and how == 'tag' end
    if old.sort ~= 'declared' or sort == 'declared' then return end
  end
  local d = { name = name, sort = sort, token = token, file = file,
              key = name .. ' ' .. file, id = file .. '-' .. name,
              tag = how == 'tag', piece = token.piece, users = List{} }
  scope[file][name] = d
  if how == 'linked' and sort ~= 'declared' then linked[name] = linked[name] or d end
end

-- What a declaration defines, by its shape.
local function define_declared(s, file)
  local depth, seen, typedef = 0, {}, nil
  local function text(i) return s[i] and s[i][2] or '' end
  local function name(i)
    local t, before, after = s[i], text(i - 1), text(i + 1)
    if seen.enum and not seen['('] and depth == 1
       and (before == '{' or before == ',') then
      define(t, 'constant', file)
    elseif depth == 0 and TAGGED[before] then
      if after == '{' then define(t, 'type', file, 'tag') end
    elseif seen.typedef then
      if depth == 0 or depth == 1 and before == '*' and text(i - 2) == '(' then
        typedef = t
      end
    elseif depth == 0 and not seen['='] and not seen['('] then
      local how = seen.static and 'own' or 'linked'
      if after == '(' then
        define(t, text(#s) == '}' and 'function' or 'declared', file, how)
      elseif before ~= '' and (after == '=' or after == ';' or after == '[') then
        define(t, seen.extern and 'declared' or 'variable', file, how)
      end
    end
  end
  for i, t in ipairs(s) do
    if CLOSES[t[2]] then depth = depth - 1 end
    if t[1] == 'name' then name(i) end
    if depth == 0 then seen[t[2]] = true end
    if OPENS[t[2]] then depth = depth + 1 end
  end
  if typedef then define(typedef, 'type', file) end
end

-- The directives of a file, each a list of tokens.
local function directives(stream)
  local out = List{}
  for _, t in ipairs(stream) do
    if t.directive then
      if t[2]:match '^#' and t[1] == 'keyword' then out:insert(List{}) end
      out[#out]:insert(t)
    end
  end
  return out
end

local function define_macros(file)
  for _, s in ipairs(file.directives) do
    if s[1][2]:match '^#%s*define' and s[2] then define(s[2], 'macro', file.name) end
  end
end

---------------------------------------------------------------- local names

local BEGINS = { [';'] = true, ['{'] = true, ['}'] = true, ['('] = true,
                 [','] = true, const = true, static = true, register = true }

-- Does s[i] declare a local name?  Then a type stands before it, or it goes
-- on with a declaration.
local function is_local(s, i, goes_on)
  local k = i - 1
  if s[i].call then return false end
  while s[k] and (s[k][2] == '*' or s[k][2] == 'const' or s[k][2] == 'restrict'
                  or s[k][2] == '(' and s[k + 1][2] == '*') do k = k - 1 end
  local t = s[k]
  if not t then return false end
  if t[2] == ',' then return goes_on end
  if t[1] == 'keyword' then return c.types[t[2]] end
  if t[1] ~= 'name' then return false end
  local before = s[k - 1] and s[k - 1][2] or ';'
  return k == i - 1 or TAGGED[before] or c.types[t[2]] and BEGINS[before]
end

-- The names that are declared inside of parentheses or braces: parameters,
-- fields, local variables.  A name stays local all through the declaration.
local function local_names(s)
  local names, depth, goes_on = {}, 0, {}
  local many, constants = {}, {}        -- of a depth: may names follow a comma?
  for i, t in ipairs(s) do
    local text = t[2]
    if CLOSES[text] then depth = depth - 1 end
    local before = s[i - 1] and s[i - 1][2]
    if text == ';' then goes_on[depth] = false end
    if depth > 0 and t[1] == 'name' then
      if is_local(s, i, goes_on[depth]) then
        names[text], goes_on[depth] = true, many[depth]
      elseif constants[depth] and (before == '{' or before == ',') then
        names[text] = true
      end
    end
    if OPENS[text] then
      constants[depth + 1] = depth > 0 and before == 'enum'
      depth = depth + 1
      goes_on[depth] = false
      many[depth] = text == '{' or before == 'for'
    end
  end
  return names
end

-- What a macro calls its arguments.
local function arguments(s, names)
  if not s[2] or not s[2].call then return names end
  for i = 4, #s do
    if s[i][2] == ')' then break end
    names[s[i][2]] = true
  end
  return names
end

----------------------------------------------------------------------- uses

-- All files that a file sees: itself, and what it includes.
local function seen_from(name, files, out)
  if files[name] and not out[name] then
    out[name] = true
    out:insert(name)
    for _, h in ipairs(files[name].stream.includes) do
      local beside = name:match '^.*/' or ''
      seen_from(files[beside .. h] and beside .. h or h, files, out)
    end
  end
  return out
end

-- A tag needs its struct, union or enum, and after these stands nothing else.
local function fits(d, tagged)
  if tagged then return d.sort == 'type' end
  return not d.tag
end

local function definition(name, file, tagged)
  for _, seen in ipairs(file.sees) do
    local d = scope[seen][name]
    if d and fits(d, tagged) then
      return d.sort == 'declared' and linked[name] or d
    end
  end
end

local function refer(t, file, tagged, is_prototype)
  local d = definition(t[2], file, tagged)
  if not d then return end
  if d.sort == 'macro' and d.token.call and not t.call then return end
  t.refers = d
  if d.token == t then t.defines = d
  elseif not is_prototype then t.piece.uses[d] = true end
end

-- A field (a.b, a->b, .b =), a label and what is local are no uses.
local function use(s, file, hidden)
  local depth = 0
  for i, t in ipairs(s) do
    local text, before = t[2], s[i - 1] and s[i - 1][2]
    local after = s[i + 1] and s[i + 1][2]
    if OPENS[text] then depth = depth + 1 end
    if CLOSES[text] then depth = depth - 1 end
    local label = before == 'goto'
      or after == ':' and (before == ';' or before == '{' or before == '}')
    if t[1] == 'name' and before ~= '.' and before ~= '->' and not label
       and (not hidden[text] or TAGGED[before]) then
      refer(t, file, TAGGED[before], depth == 0 and t.call and s[#s][2] == ';')
    end
  end
end

------------------------------------------------------------------ the index

-- What is declared here and defined in another file is indexed there.
local function collect(files)
  for _, f in ipairs(files) do
    for name, d in pairs(scope[f.name]) do
      if d.sort ~= 'declared' or not linked[name] then
        book.defined:insert(d)
        d.piece.defines:insert(d)
        if d.sort == 'type' and not d.tag then c.types[name] = true end
      end
    end
  end
end

function identifiers.index()
  local files = List{}
  for _, root in ipairs(book.tangled) do
    if root.name:match '%.[ch]$' then
      local stream = tangle(root.name, empty_stream(), {})
      local f = { name = root.name, stream = stream,
                  declarations = declarations(stream, root.name),
                  directives = directives(stream) }
      files:insert(f)
      files[f.name], scope[f.name] = f, {}
    end
  end
  for _, f in ipairs(files) do
    f.sees = seen_from(f.name, files, List{})
    define_macros(f)
    for _, s in ipairs(f.declarations) do define_declared(s, f.name) end
  end
  collect(files)
  for _, f in ipairs(files) do
    for _, s in ipairs(f.declarations) do use(s, f, local_names(s)) end
    for _, s in ipairs(f.directives) do use(s, f, arguments(s, local_names(s))) end
  end
  for _, piece in ipairs(book.pieces) do
    piece.defines:sort(book.by_name)
    for d in pairs(piece.uses) do
      if piece ~= d.piece then d.users:insert(piece.number) end
    end
  end
end

return identifiers
