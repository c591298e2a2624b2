-- listing.lua: a piece of a chunk on the page.
--
-- Each line of C is a box of its own. One that carries out a line of an
-- algorithm has that line's name and formula at its left, and the shape of the
-- result at its right.

local book = require 'book'
local List = require 'pandoc.List'
local formula = require 'formula'
local pair = require 'pair'
local tangled = require 'tangled'

local SCREEN = 100                      -- columns of a line of output
local PAGE = 45                         -- lines that a page has room for
local TOGETHER = 31                     -- lines of output that a page may cut: half a page
local PARTED = 16                       -- lines of output that a page may part at a gap
local SHORT = 12                        -- lines that stand in one column
local FEWEST = 5                        -- lines of output on a new page
local PAIR = 93                         -- columns of lines that stand side by side
local NARROW = 48                       -- columns of C beside formulas, at least
local nothing = pair.new('', '')
local BETWEEN = pair.new('\\kern.4em ', ' ')        -- two names in the gutter
local listing = {}

----------------------------------------------------------------------- names

function listing.number(n)
  return pair.new(('\\hyperlink{c%d}{%d}'):format(n, n),
                  ('<a href="#%s">%d</a>'):format(book.pieces[n].id, n))
end

-- "7, 12 and 14"
function listing.numbers(all)
  return pair.join(List.map(all, listing.number), ', ', ' and ')
end

function listing.chunk_name(name)
  local chunk = book.chunks[name]
  return chunk and chunk.root and pair.code(name) or formula.markdown(name)
end

-------------------------------------------------------------------- the code

-- A run of two or more blanks in a comment is a column: keep it.
local function comment(text)
  local out, at = nothing, 1
  while at <= #text do
    local i, j = text:find('%S%s%s+', at)
    local lead, words = text:sub(at, i or -1):match '^(%s*)(.*)$'
    local cell = pair.text(lead)
      .. pair.text(words):within('\\ctext{%s}', '<i>%s</i>')
    if j then
      local columns = utf8.len(text:sub(at, j))
      cell = cell:within('\\cell{' .. columns .. '}{%s}',
        '<span class="cell" style="width:' .. columns .. 'ch">%s</span>')
    end
    out, at = out .. cell, (j or #text) + 1
  end
  return out
end

local function reference(name)
  local chunk = book.chunks[name]
  if not chunk then return nothing end  -- told already
  local n = chunk[1].number
  return listing.chunk_name(name):within(
    '\\chunkuse{' .. n .. '}{%s}',
    '<a class="use" href="#' .. chunk[1].id .. '">⟨%s <small>' .. n .. '</small>⟩</a>')
end

local function token(t)
  local kind, text = t[1], t[2]
  if kind == 'use' then return reference(text)
  elseif kind == 'comment' then return comment(text) end
  local out = pair.text(text)
  if t.defines then
    out = out:within('\\cdef{%s}', '<dfn>%s</dfn>')
  elseif kind == 'keyword' or t.refers and t.refers.sort == 'type' then
    out = out:within('\\ckey{%s}', '<b>%s</b>')
  end
  if t.refers and t.refers.piece ~= t.piece then
    out = out:within('%s', '<a href="#' .. t.refers.piece.id .. '">%s</a>')
  end
  return out
end

-- The code of a line, without its first `skip` blanks.
function listing.code(tokens, skip)
  local out = List.map(tokens, token)
  if skip and tokens[1] and tokens[1][1] == 'space' then
    out[1] = pair.text(tokens[1][2]:sub(skip + 1))
  end
  return pair.join(out, '', '')
end

------------------------------------------------------- lines of algorithms

-- The name of a line of an algorithm, everywhere: 8.16.
function listing.tag(tag) return tag[1] .. '.' .. tag[2] end

-- In the gutter it leads to the pseudocode. Where the line's C is told first
-- it can be linked to.
local function gutter(tags)
  return pair.join(List.map(tags, function(tag)
    local name = listing.tag(tag)
    local id = ''
    if not book.anchored[name] then
      book.anchored[name] = true
      id = name
    end
    return pair.new(
      ('%s\\hyperlink{algorithm-%s}{\\linenumber{%s}}'):format(
        id ~= '' and '\\lineanchor{' .. id .. '}' or '', name, name),
      ('<a%s href="#algorithm-%s">%s</a>'):format(
        id ~= '' and ' id="' .. id .. '"' or '', name, name))
  end), BETWEEN, BETWEEN)
end

local function same_tags(l, m)
  if not l or not m or #l.tags ~= #m.tags then return false end
  for i, tag in ipairs(l.tags) do
    if tag[1] ~= m.tags[i][1] or tag[2] ~= m.tags[i][2] then return false end
  end
  return true
end

-- The formulas beside lines i to k, each with its shape, only once a piece.
local function formulas(lines, i, k, told)
  local out, shapes, seen = List{}, nothing, nil
  for j = i, k do seen = seen or lines[j].see end
  for _, tag in ipairs(lines[i].tags) do
    local algorithm = book.algorithms[tag[1]]
    local line = algorithm and algorithm.lines[tag[2]]
    if line and not told[line] then
      told[line] = true
      local f = seen and line.short .. pair.new('\\seen',
        ' <span class="seen" title="this value can be observed">∘</span>')
        or line.short
      local depth = line.indent / 4
      out:insert(f:within(('\\formulabeside{%.1fem}{%%s}'):format(depth),
                          ('<p style="margin-left:%.1fem">%%s</p>\n'):format(depth))
        .. pair.new('{' .. (line.shape or nothing).tex .. '}\n', ''))
      shapes = shapes .. pair.new('', (line.shape or nothing).html)
    end
  end
  return pair.join(out, '', ''), shapes.html
end

local function code_line(l, bar)
  return listing.code(l.tokens):within('\\codeline{' .. bar .. '}{%s}',
                                       '<code>%s</code>')
end

local function columns_of(l)
  local n = 0
  for _, t in ipairs(l.tokens) do n = n + (utf8.len(t[2]) or 0) end
  return n
end

-- Lines i to k carry out the same lines of an algorithm.
local function row(lines, i, k, told)
  local code = List{}
  for j = i, k do
    code:insert(code_line(lines[j], i == k and '' or j == i
                          and '\\gutterbarstart' or '\\gutterbar'))
  end
  local beside, shape = formulas(lines, i, k, told)
  local number, c = gutter(lines[i].tags), pair.join(code, '\n', '\n')
  return pair.new(
    ('\\coderow{%s}{%s}{%s}'):format(number.tex, beside.tex, c.tex),
    ('<div class="row%s"><b class="n g">%s</b><div class="f">%s</div><div>%s</div>'
     .. '<div class="shape">%s</div></div>')
      :format(i == k and '' or ' bar', number.html, beside.html, c.html, shape))
end

-- The formulas of an algorithm stand in one column, left of all its C. A comment
-- alone, as in a lab's stub, is set narrower than C and needs no more room.
local function widest(piece)
  local n = 0
  for _, l in ipairs(piece.lines) do
    local has_code = l.tokens:find_if(function(t)
      return t[1] ~= 'space' and t[1] ~= 'comment'
    end)
    if #l.tags > 0 and has_code then n = math.max(n, columns_of(l)) end
  end
  return n
end

local function column(piece)
  local n = NARROW
  for _, p in ipairs(book.pieces) do
    if p.algorithm == piece.algorithm then n = math.max(n, widest(p)) end
  end
  return n
end

--------------------------------------------------------------- head and foot

local function head(piece)
  local chunk, k = book.chunks[piece.name], piece.place
  local back = chunk[k - 1]
    and listing.number(chunk[k - 1].number):within('\\back %s', '◂ %s') or nothing
  local on = chunk[k + 1]
    and listing.number(chunk[k + 1].number):within('%s\\on', '%s ▸') or nothing
  local n, sign = piece.number, k == 1 and '≡' or '+≡'
  return listing.chunk_name(piece.name):within(
      '\\chunkhead{' .. n .. '}{%s}{' .. sign .. '}',
      '<p class="head"><span>⟨%s <small>' .. n .. '</small>⟩ ' .. sign .. '</span>')
    .. back:within('{%s}', '<span class="nav">%s ') .. on:within('{%s}', '%s</span></p>')
end

-- "Used in chunk 7.  Defines ..."; who uses that is in the index.
local function foot(piece)
  local chunk, sentences = book.chunks[piece.name], List{}
  if piece.place == 1 and not chunk.root then
    local users = book.keys(piece.used)
    sentences:insert((#users > 1 and 'Used in chunks ' or 'Used in chunk ')
                     .. listing.numbers(users) .. '.')
  end
  if #piece.defines > 0 then
    sentences:insert('Defines ' .. pair.join(List.map(piece.defines, function(d)
      return pair.code(d.name):within('\\hyperlink{i-' .. d.id .. '}{%s}',
                                      '<a href="#i-' .. d.id .. '">%s</a>')
    end), ', ', ' and ') .. '.')
  end
  return pair.join(sentences, ' ', ' ')
    :within('\\chunkfoot{%s}', '<p class="foot">%s</p>')
end

----------------------------------------------------------------- page breaks

local function is_blank(l)
  return not l.tokens:find_if(function(t) return t[1] ~= 'space' and t[2] ~= '' end)
end

-- The first and the last token of a line that are code, and how many more
-- parentheses it opens than it closes. The comma behind a row of a table is
-- none.
local function ends(l)
  local first, last, open = nil, nil, 0
  for _, t in ipairs(l.tokens) do
    if t[1] ~= 'space' and t[1] ~= 'comment' then
      local row = last and last[2] == '}' and t[2] == ','
      first, last = first or t, row and last or t
      open = open + (t[2] == '(' and 1 or t[2] == ')' and -1 or 0)
    end
  end
  return first, last, open
end

-- Where may a page break in front of a line?  Behind a statement or a blank
-- line, with some lines left on either side; never in an algorithm.
local function page_breaks(piece, lines)
  local may, depth = {}, 0
  for i, l in ipairs(lines) do
    local first, last, open = ends(l)
    local before = lines[i - 1]
    may[i] = not (piece.algorithm and #lines < PAGE) and i > 4 and i < #lines - 2 and depth == 0
      and before and (is_blank(before) or before.closed)
      and not (first and (first == last and first[2] == '{' or first[2] == '}'
                          or first[2] == 'else'))
    depth = depth + open
    l.closed = last and (last[1] == 'use' or last[2] == ';' or last[2] == '}')
      or l.directive
  end
  return may
end

---------------------------------------------------------------------- a piece

local function code_of(piece)
  local lines = piece.lines:filter(function(l)   -- a bare */ is no line
    return not is_blank(l) or l.parts[1] == ''
  end)
  local out, told, i = List{}, {}, 1
  local may_break = page_breaks(piece, lines)
  while i <= #lines do
    local l, k = lines[i], i
    if is_blank(l) then
      out:insert(pair.new('\\codeblank{' .. (may_break[i + 1] and 0 or 10000) .. '}',
                          '<div class="blank"></div>'))
    elseif #l.tags > 0 then
      while same_tags(l, lines[k + 1]) do k = k + 1 end
      out:insert(row(lines, i, k, told))
    else
      out:insert(pair.new(may_break[i] and '\\codebreak' or '', '')
                 .. code_line(l, ''):within('%s', '<div class="l">%s</div>'))
    end
    i = k + 1
  end
  local all = pair.join(out, '\n', '\n')   -- on the page, lines without a tag are one box
  return pair.new(all.tex, (all.html:gsub('</code></div>\n<div class="l"><code>', '\n')))
end

-- What a table says better is left to its file; the page with links unfolds it.
local function folded(piece)
  local file, first, last = tangled.range(piece)
  local place = pair.code(file):within(
    ('Lines %d to %d of %%s.'):format(first, last),
    ('<summary>Lines %d to %d of %%s</summary>'):format(first, last))
  return pair.new('\\chunkfoot{' .. place.tex .. '}',
                  '<details>' .. place.html .. code_of(piece).html .. '</details>')
end

function listing.piece(piece)
  local columns = piece.algorithm and column(piece) or 0
  local body = book.folded and folded(piece) or code_of(piece) .. foot(piece)
  return (head(piece) .. '\n' .. body):within(
    ('%%%%@ %s <<%s>>\n\\codecolumns{%d}%%s'):format(
      book.at(piece.line), piece.name:gsub('%%', '%%%%'), columns),
    ('<section class="chunk" id="%s" style="--columns:%d">\n%%s\n</section>')
      :format(piece.id, columns)):blocks()
end

local function width_of(lines, i, k)
  local n = 0
  for j = i, k do n = math.max(n, utf8.len(lines[j]) or #lines[j]) end
  return n
end

-- Where do two halves of many short lines begin, and how wide is the first? What
-- is wide at the beginning stands above both. The second begins behind a blank
-- line if one is near.
local function halves(lines)
  local first = 1
  if #lines <= SHORT then return end
  while first < 6 and 2 * width_of(lines, first, first) > PAIR do first = first + 1 end
  local half = (#lines + first) // 2 + 1
  for away = 0, #lines // 6 do
    local k = lines[half - 1 - away] == '' and half - away or half + away
    if lines[k - 1] == '' then half = k break end
  end
  local left = width_of(lines, first, half - 1) + 3
  local right = width_of(lines, half, #lines)
  if left + right <= PAIR then
    return first, half, math.max(left, math.min(PAIR // 2, PAIR - right))
  end
end

-- Where may a page end behind line k? In front of a command, behind a blank line,
-- and in a long output anywhere.
local function gap(lines, k)
  if k < FEWEST or #lines - k < FEWEST then return '' end
  local here = #lines > PARTED and (lines[k] == '' or lines[k + 1]:match '^%$ ')
  return (here or #lines > TOGETHER) and '\\penalty\\tear ' or ''
end

-- Output of a program, or a file, verbatim. Many short lines stand in two halves,
-- side by side.
function listing.screen(text, command)
  local out = List{}
  if command then
    for line in ('$ ' .. command .. '\n'):gmatch '([^\n]*)\n' do
      out:insert(pair.text(line):within('\\screenline{\\bfseries %s}', '<b>%s</b>'))
    end
  end
  local lines = List{}
  for s in text:gsub('\n*$', '\n'):gmatch '([^\n]*)\n' do lines:insert(s) end
  local widest = width_of(lines, 1, #lines)
  if widest > SCREEN then
    book.fault(book.here, 'a line of %d columns is wider than the page (%d).',
               widest, SCREEN)
  end
  local first, second, left = halves(lines)
  for k, s in ipairs(lines) do
    local typed = s:match '^%$ '
    local half = k == first and pair.new('\\firsthalf{' .. left .. '}\n',
                                         '<span style="width:' .. left .. 'ch">')
      or k == second and pair.new('\\secondhalf\n', '</span><span>') or nothing
    out:insert(half .. pair.text(s):within('\\screenline{' .. (typed and '\\bfseries ' or '') .. '%s}'
      .. (second and '' or gap(lines, k)),
      typed and '<b>%s</b>' or '%s'))
  end
  if second then out[#out] = out[#out] .. pair.new('\n\\closehalves', '</span>') end
  return pair.join(out, '\n', '\n')
    :within('\\beginscreen\n%s\n\\closescreen', '<pre class="screen'
            .. (second and ' halves' or '') .. '">%s</pre>'):blocks()
end

return listing
