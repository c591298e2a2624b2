-- index.lua: the indexes of chunks, of identifiers and of subjects.

local book = require 'book'
local List = require 'pandoc.List'
local listing = require 'listing'
local pair = require 'pair'
local utils = require 'pandoc.utils'

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

-- "| softmax: matrices alg4": a subject and the sections that are about it.
function index.subjects(div)
  return set('subjects-index', List.map(div.content[1].content, function(line)
    local term, ids = utils.stringify(line):match '^(.-):%s*(.*)$'
    local places = List{}
    for id in (ids or ''):gmatch '%S+' do
      local label = book.labels[id]
      if not label then
        book.fault(book.here, 'the index leads to %s, which is nowhere.', id)
      else
        places:insert(pair.new(('\\hyperref[%s]{\\pageref*{%s}}'):format(id, id),
          ('<a href="#%s">%s</a>'):format(id, pair.text(label).html)))
      end
    end
    return pair.text(term or '?'):within('\\indexentry{}{%s\\quad ', '<li>%s&ensp;')
      .. pair.join(places, ', ', ', ') .. pair.new('}', '</li>')
  end))
end

return index
