-- tangled.lua: the files that notangle makes of the chunks, line by line.
--
-- The book says where in them the C of an algorithm stands.

local book = require 'book'
local List = require 'pandoc.List'

local tangled = {}

-- The text of a line's part, for the indentation of what is used behind it.
local function columns(text) return text:gsub('[^\t]', ' ') end

-- The lines of a chunk, each { text, line of the source }.
local function lines_of(name, open)
  local out = List{}
  if open[name] then return out end     -- told elsewhere
  open[name] = true
  for _, piece in ipairs(book.chunks[name] or {}) do
    for _, l in ipairs(piece.lines) do
      local text, before = '', l
      for _, part in ipairs(l.parts) do
        if part.use then
          local indent = columns(text)
          for i, inner in ipairs(lines_of(part.use, open)) do
            if i > 1 then
              out:insert { text, before }
              text = inner[1] ~= '' and indent or ''
            end
            text, before = text .. inner[1], inner[2]
          end
        else
          text = text .. part
        end
      end
      out:insert { text, before }
    end
  end
  open[name] = nil
  return out
end

-- As doc/tangle writes it: between two pieces of a chunk a blank line.
local function file(name)
  local out, last = List{}, nil
  for _, l in ipairs(lines_of(name, {})) do
    if last == '}' and l[1]:match '^[%a_/]' then out:insert { '', nil } end
    out:insert(l)
    last = l[1]
  end
  return out
end

-- Learns the files: each { name, lines }, in the order of the book.
function tangled.learn()
  for _, piece in ipairs(book.pieces) do
    if piece.place == 1 and book.chunks[piece.name].root then
      book.tangled:insert { name = piece.name, lines = file(piece.name) }
    end
  end
end

-- Where line n of algorithm a stands: a file, and the number of its line.
function tangled.place(a, n)
  for _, f in ipairs(book.tangled) do
    for number, l in ipairs(f.lines) do
      for _, tag in ipairs(l[2] and l[2].tags or {}) do
        if tag[1] == a and tag[2] == n then return f.name, number end
      end
    end
  end
end

-- The lines of a file that a piece has become: the first and the last.
function tangled.range(piece)
  local own = {}
  for _, l in ipairs(piece.lines) do own[l] = true end
  for _, f in ipairs(book.tangled) do
    local first, last = nil, nil
    for number, l in ipairs(f.lines) do
      if own[l[2]] then first, last = first or number, number end
    end
    if first then return f.name, first, last end
  end
end

return tangled
