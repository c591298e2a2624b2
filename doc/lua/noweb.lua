-- noweb.lua: noweb's pipeline form becomes pieces of chunks, and prose.
--
-- The pipeline form is a line a token: @text, @nl, @defn, @use, ...  A piece
-- is one <<name>>= up to the next @.  What is not a piece is prose.

local book = require 'book'
local List = require 'pandoc.List'
local fault = book.fault

local noweb = {}
local ids = {}                          -- of pieces

-- What a piece is linked by: its name, which stays when others come and go.
local function id_of(piece)
  local id = 'c-' .. piece.name:lower():gsub('[^%w]+', '-'):gsub('^-', '')
    :gsub('-$', '') .. (piece.place > 1 and '.' .. piece.place or '')
  while ids[id] do id = id .. "'" end
  ids[id] = true
  return id
end

local function new_piece(name, line)
  local piece = { number = #book.pieces + 1, name = name, line = line,
                  lines = List{}, defines = List{}, uses = {}, used = {} }
  book.pieces[piece.number] = piece
  local chunk = book.chunks[name] or List{}
  book.chunks[name] = chunk
  chunk:insert(piece)
  piece.place = #chunk
  piece.id = id_of(piece)
  return piece
end

-- Returns the prose as a list of { text, line }.
function noweb.read(pipeline)
  local prose, line, piece = List{}, 1, nil
  local text, parts = '', List{}
  local function put(part)
    if type(part) == 'string' then text = text .. part end
    parts:insert(part)
  end
  local act = {
    file = function(name)
      book.files:insert { name = name, first = line }
      prose:insert { '' }
    end,
    text = put, literal = put,
    quote = function() put '[[' end,            -- we quote with backticks
    endquote = function() put ']]' end,
    use = function(name) put { use = name } end,
    defn = function(name)
      piece = new_piece(name, line)
      prose:extend { { '' }, { '```{=ftx}' }, { 'chunk ' .. piece.number },
                     { '```' }, { '' } }
    end,
    ['end'] = function(what) if what:match '^code' then piece = nil end end,
    index = function(what) if what == 'nl' then line = line + 1 end end,
    nl = function()
      if not piece then prose:insert { text, line }
      elseif piece.line < line then
        piece.lines:insert { line = line, parts = parts }
      end
      text, parts, line = '', List{}, line + 1
    end,
    fatal = function(what) fault(line, 'noweb: %s', what) end,
  }
  for directive, rest in pipeline:gmatch '@(%S+) ?([^\n]*)\n' do
    if act[directive] then act[directive](rest) end
  end
  return prose
end

-- The prose as Markdown.  In front of each paragraph goes a mark with its
-- line, so that doc/weave can tell where in the source LaTeX complains.
function noweb.markdown(prose)
  local out, fence, blank = List{}, nil, true
  for _, p in ipairs(prose) do
    local text, line = p[1], p[2]
    local ticks = text:match '^(```+)'
    if blank and not fence and line and line > 1 and text:match '^[%a$%[`*#\\]'
       and not text:match '^[*] ' and not text:match '^Table:' then
      out:extend { '```{=ftx}', 'line ' .. line, '```', '' }
    end
    if ticks then
      fence = not fence and ticks or (fence ~= ticks and fence) or nil
    end
    out:insert(text)
    blank = text:match '^%s*$' ~= nil
  end
  return table.concat(out, '\n') .. '\n'
end

-- Which piece uses which; the roots; what is used and not there, or there
-- and not used.  A root is a file's name: it has a dot.
function noweb.connect()
  for _, piece in ipairs(book.pieces) do
    for _, l in ipairs(piece.lines) do
      for _, part in ipairs(l.parts) do
        local chunk = part.use and book.chunks[part.use]
        if chunk then
          chunk[1].used[piece.number] = true
        elseif part.use then
          fault(l.line, 'chunk <<%s>> is used here and defined nowhere.',
                part.use)
        end
      end
    end
  end
  for name, chunk in pairs(book.chunks) do
    chunk.root = name:match '^[%w_./-]+%.%w+$' or name == 'Makefile'
    if not chunk.root and not next(chunk[1].used) then
      fault(chunk[1].line, 'chunk <<%s>> is used nowhere.', name)
    end
  end
end

return noweb
