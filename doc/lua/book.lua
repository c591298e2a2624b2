-- book.lua: everything that is known of the book, and its faults.

local List = require 'pandoc.List'

local book = {
  files = List{},               -- the webs, in their order, and their first lines;
  here = 1,                     -- lines are counted on from web to web; that
                                -- which is being woven
  beside = {},                  -- the ids of another book's page, if any
  pieces = {},                  -- of chunks, in the order of the book
  chunks = {},                  -- name -> its pieces
  tangled = List{},             -- the files that notangle makes of them
  algorithms = {},              -- number -> its lines, formulas, title
  folded = false,               -- is the C of the pieces left to their file?
  notation = false,             -- is this a table of the notation?
  anchored = {},                -- lines of algorithms whose C has been told
  figures = {},                 -- id -> number
  defined = List{},             -- identifiers: where, as what, used where
  labels = {},                  -- id -> "Section 4.2", "Figure 3", ...
}

-- Where a line is: "ftx.nw:340".
function book.at(line)
  local file = book.files[1]
  for _, f in ipairs(book.files) do
    if f.first <= line then file = f end
  end
  return file.name .. ':' .. line - file.first + 1
end

-- The weave does not stop at the first fault: it collects them all, says each
-- in one sentence with its place in the source, and then refuses.

local faults = List{}

function book.fault(line, sentence, ...)
  faults:insert { line = line or 1, text = sentence:format(...) }
end

function book.refuse_if_faulty()
  if #faults == 0 then return end
  faults:sort(function(a, b)
    return a.line < b.line or a.line == b.line and a.text < b.text
  end)
  for _, f in ipairs(faults) do
    io.stderr:write(('%s: %s\n'):format(book.at(f.line), f.text))
  end
  os.exit(1)
end

-- The keys of a set, sorted: what Lua's tables leave to chance, we do not.
function book.keys(set, before)
  local out = List{}
  for k in pairs(set) do out:insert(k) end
  table.sort(out, before)
  return out
end

-- The order of an index: a and A side by side.
function book.by_name(a, b)
  local x, y = a.name:lower(), b.name:lower()
  return x < y or x == y and a.key < b.key
end

return book
