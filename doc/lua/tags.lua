-- tags.lua: which line of C carries out which line of an algorithm.
--
-- A line of C says which line of an algorithm it carries out: `// 4.5` at its
-- end, `// 4.5: with words`, or SEE(4.5, S); in it.  All of it goes to the
-- gutter; words stay as a comment; of SEE a small circle remains.

local book = require 'book'
local List = require 'pandoc.List'
local fault = book.fault

local WIDTH = 78                        -- columns of a line of C: a little into the margin
local tags = {}

local function add_tags(l, text)
  for a, n in text:gmatch '(%d+)%.(%d+)' do
    l.tags:insert { tonumber(a), tonumber(n) }
  end
end

local function take_tags(l)
  l.tags = List{}
  local last = l.parts[#l.parts]
  if type(last) ~= 'string' then return end
  local code, numbers, words = last:match '^(.-)%s*//%s*(%d+%.%d[%d. ]*)(.*)$'
  if code and (words == '' or words:match '^:') then
    add_tags(l, numbers)
    last = words == '' and code
      or ('%s  /* %s */'):format(code, words:match '^:%s*(.-)%s*$')
  end
  last = last:gsub('%s*%f[%w_]SEE[A-Z_]*(%b());?', function(arguments)
    local tag = arguments:match '%f[%d]%d+%.%d+'
    if not tag then return end          -- SEE's own definition
    add_tags(l, tag)
    l.see = arguments:match '([^,%s][^,]-)%s*%)$'
    return ''
  end)
  l.hidden = l.see and #l.parts == 1 and last:match '^%s*$'
  l.parts[#l.parts] = last
end

-- Is this the last line of a statement?
local function ends_statement(l)
  local last = l.parts[#l.parts]
  return type(last) ~= 'string' or last == ''
    or last:match '[;{}:]%s*$' or last:match '%*/%s*$' or last:match '^%s*#'
end

local function is_blank(l) return l and #l.parts == 1 and l.parts[1] == '' end

local function has(list, tag)
  return list:find_if(function(t) return t[1] == tag[1] and t[2] == tag[2] end)
end

-- The tag of a line that vanishes goes to the statement before it.
local function hand_up(l, shown)
  local i = #shown
  shown[i].see = l.see
  if #shown[i].tags > 0 then
    if not has(shown[i].tags, l.tags[1]) then shown[i].tags:insert(l.tags[1]) end
    return
  end
  repeat
    if #shown[i].tags == 0 then shown[i].tags = l.tags:clone() end
    i = i - 1
  until i == 0 or ends_statement(shown[i])
end

-- A line that is nothing but SEE vanishes; so do blank lines at the end.
function tags.settle(piece)
  local shown = List{}
  for _, l in ipairs(piece.lines) do
    take_tags(l)
    piece.algorithm = piece.algorithm or l.tags[1] and l.tags[1][1]
    if not l.hidden then
      shown:insert(l)
    elseif #shown > 0 then
      hand_up(l, shown)
    end
  end
  while is_blank(shown[#shown]) do shown:remove() end
  piece.lines = shown
end

-- The widths are those of the source, tags and SEE included.
function tags.check_widths(piece)
  for _, l in ipairs(piece.lines) do
    local columns = 0
    for _, part in ipairs(l.parts) do
      columns = columns + (part.use and #part.use + 4 or utf8.len(part) or 0)
    end
    if columns > WIDTH then
      fault(l.line, 'this line of chunk <<%s>> has %d columns; the page has %d.',
            piece.name, columns, WIDTH)
    end
  end
end

-- Every line of an algorithm has C, and every tag has a line.  A book beside
-- another one has the other's lines, and no algorithms.
function tags.check()
  if book.beside_page then return end
  local carried = {}
  for _, piece in ipairs(book.pieces) do
    for _, l in ipairs(piece.lines) do
      for _, tag in ipairs(l.tags) do
        local a, n = tag[1], tag[2]
        local algorithm = book.algorithms[a]
        if algorithm and algorithm.lines[n] then
          carried[a .. '.' .. n] = true
        else
          fault(l.line, 'chunk <<%s>> carries the tag %d.%d, but there is no '
                .. 'line %d of an Algorithm %d.', piece.name, a, n, n, a)
        end
      end
    end
  end
  for a, algorithm in pairs(book.algorithms) do
    for n in ipairs(algorithm.lines) do
      if not carried[a .. '.' .. n] then
        fault(algorithm.place, 'no C is tagged with line %d of Algorithm %d.',
              n, a)
      end
    end
  end
end

return tags
