-- index.lua: the index of chunks and the index of identifiers.

local book = require 'book'
local List = require 'pandoc.List'
local listing = require 'listing'
local pair = require 'pair'

local index = {}

local function entry(id, name, numbers, users)
  local out = name .. pair.new('\\quad ', '&ensp;') .. listing.numbers(numbers)
  if #users > 0 then
    out = out .. listing.numbers(users)
      :within('\\used{%s}', ', <span class="used">used in %s</span>')
  end
  return out:within('\\indexentry{' .. id .. '}{%s}',
    '<li' .. (id ~= '' and ' id="' .. id .. '"' or '') .. '>%s</li>')
end

local function set(id, entries)
  return pair.join(entries, '\n', '\n'):within(
    '\\beginindex{' .. id .. '}\n%s\n\\closeindex',
    '<ul class="index" id="' .. id .. '">\n%s\n</ul>'):blocks()
end

function index.chunks()
  local chunks = List{}
  for name, chunk in pairs(book.chunks) do
    chunks:insert { name = name, key = name, pieces = chunk }
  end
  chunks:sort(book.by_name)
  return set('chunks', List.map(chunks, function(c)
    local numbers = List.map(c.pieces, function(p) return p.number end)
    return entry('', '⟨' .. listing.chunk_name(c.name) .. '⟩', numbers,
                 book.keys(c.pieces[1].used))
  end))
end

function index.identifiers()
  local all, times = book.defined, {}
  all:sort(book.by_name)
  for _, d in ipairs(all) do times[d.name] = (times[d.name] or 0) + 1 end
  return set('identifiers', List.map(all, function(d)
    local name = pair.code(d.name)
    if times[d.name] > 1 then name = name .. ' in ' .. pair.code(d.file) end
    return entry('i-' .. d.id, name, { d.piece.number }, d.users)
  end))
end

return index
