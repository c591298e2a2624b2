-- listing.lua: a piece of a chunk on the page.
--
-- Each line of C is a box of its own: gutter, code, outer margin.

local book = require 'book'
local List = require 'pandoc.List'
local formula = require 'formula'
local pair = require 'pair'

local SCREEN = 100                      -- columns of a line of output
local PAGE = 25                         -- lines of output that stay together
local MANY = 9                          -- more numbers than this are counted
local nothing = pair.new('', '')
local listing = {}

----------------------------------------------------------------------- names

function listing.number(n)
  return pair.new(('\\hyperlink{c%d}{%d}'):format(n, n),
                  ('<a href="#c%d">%d</a>'):format(n, n))
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
    '<a class="use" href="#c' .. n .. '">⟨%s <small>' .. n .. '</small>⟩</a>')
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
    out = out:within('%s', '<a href="#c' .. t.refers.piece.number .. '">%s</a>')
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

--------------------------------------------------------- gutter and margin

local function same_tags(l, m)
  if not l or not m or #l.tags ~= #m.tags or #l.tags == 0 then return false end
  for i, tag in ipairs(l.tags) do
    if tag[1] ~= m.tags[i][1] or tag[2] ~= m.tags[i][2] then return false end
  end
  return true
end

-- The bare number in the section of its algorithm, 4.5 elsewhere.
local function tag_number(tag)
  return tag[1] == book.current and tostring(tag[2]) or tag[1] .. '.' .. tag[2]
end

-- Does this or a later line of the same run show its value?
local function shows_value(lines, i)
  local l = lines[i]
  repeat
    if lines[i].see then return true end
    i = i + 1
  until not same_tags(l, lines[i])
end

-- The formulas for the margin of line i, each only once a piece.
local function margin(lines, i, told)
  local out = nothing
  for _, tag in ipairs(lines[i].tags) do
    local algorithm = book.algorithms[tag[1]]
    local line = algorithm and algorithm.lines[tag[2]]
    if line and not told[line] then
      told[line] = true
      local n, tex, html = tag_number(tag), '', ''
      if shows_value(lines, i) then
        tex = '\\seen'
        html = ' <span class="seen" title="this value can be observed">∘</span>'
      end
      out = out .. line.formula:within(
        '\\marginformula{' .. n .. '}{%s}{' .. tex .. '}',
        '<span class="m"><b class="n">' .. n .. '</b> %s' .. html .. '</span>')
    end
  end
  return out
end

local function line(lines, i, told)
  local l = lines[i]
  local goes_on = same_tags(lines[i - 1], l)
  local bar = goes_on or same_tags(l, lines[i + 1])
  local label = goes_on and ''
    or table.concat(List.map(l.tags, tag_number), ' ')
  local code, note = listing.code(l.tokens), margin(lines, i, told)
  return pair.new(
    ('\\codeline{%s}{%s}{%s}{%s}'):format(
      not bar and '' or goes_on and '\\gutterbar' or '\\gutterbarstart',
      label, note.tex, code.tex),
    ('<div class="l%s"><b class="n g">%s</b><code>%s</code>%s</div>'):format(
      bar and ' bar' or '', label, code.html, note.html))
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

local function definition(d)
  local name = pair.code(d.name)
  if #d.users == 0 then return name end
  if #d.users <= MANY then
    return name .. ', used in ' .. listing.numbers(d.users)
  end
  return name .. ', used in ' .. pair.text(#d.users .. ' chunks')
    :within('\\hyperlink{identifiers}{%s}', '<a href="#identifiers">%s</a>')
end

-- "Used in ...  Defines ...  Uses ...", a sentence each.
local function foot(piece)
  local chunk, sentences = book.chunks[piece.name], List{}
  if piece.place == 1 and not chunk.root then
    local users = book.keys(piece.used)
    sentences:insert((#users > 1 and 'Used in chunks ' or 'Used in chunk ')
                     .. listing.numbers(users) .. '.')
  end
  if #piece.defines > 0 then
    sentences:insert('Defines '
      .. pair.join(List.map(piece.defines, definition), '; ', '; ') .. '.')
  end
  local uses = book.keys(piece.uses, book.by_name):filter(function(d)
    return d.piece ~= piece
  end)
  if #uses > 0 then
    sentences:insert('Uses ' .. pair.join(List.map(uses, function(d)
      return pair.code(d.name) .. pair.new('~', ' ') .. listing.number(d.piece.number)
    end), ', ', ', ') .. '.')
  end
  return pair.join(sentences, ' ', ' ')
    :within('\\chunkfoot{%s}', '<p class="foot">%s</p>')
end

local function is_blank(l)
  return not l.tokens:find_if(function(t) return t[1] ~= 'space' and t[2] ~= '' end)
end

-- A page may break in a long piece, with some lines left on either side.
local function may_break(i, n) return n > 12 and i > 4 and i < n - 3 end

function listing.piece(piece)
  local lines = piece.lines:filter(function(l)   -- a bare */ is no line
    return not is_blank(l) or l.parts[1] == ''
  end)
  local out, told = List { head(piece), pair.new('', '<div class="code">') }, {}
  for i, l in ipairs(lines) do
    local free = may_break(i, #lines)
    if is_blank(l) then
      out:insert(pair.new('\\codeblank{' .. (free and 0 or 10000) .. '}',
                          '<div class="blank"></div>'))
    else
      out:insert(pair.new(free and '\\codebreak' or '', '') .. line(lines, i, told))
    end
  end
  out:extend { pair.new('', '</div>'), foot(piece) }
  return pair.join(out, '\n', '\n'):within(
    ('%%%%@ %s <<%s>>\n%%s'):format(book.at(piece.line), piece.name:gsub('%%', '%%%%')),
    '<section class="chunk" id="c' .. piece.number .. '">\n%s\n</section>'):blocks()
end

-- Output of a program, or a file, verbatim.
function listing.screen(text, command)
  local out = List{}
  if command then
    out:insert(pair.text('$ ' .. command)
      :within('\\screenline{\\bfseries %s}', '<b>%s</b>'))
  end
  text = text:gsub('\n*$', '\n')
  local long = select(2, text:gsub('\n', '')) > PAGE
  for s in text:gmatch '([^\n]*)\n' do
    local columns = utf8.len(s) or #s
    if columns > SCREEN then
      book.fault(book.here, 'a line of %d columns is wider than the page (%d): %s',
                 columns, SCREEN, s)
    end
    out:insert(pair.text(s):within('\\screenline{%s}'
      .. (long and '\\penalty' .. (s == '' and 0 or 400) .. ' ' or ''), '%s'))
  end
  return pair.join(out, '\n', '\n')
    :within('\\beginscreen\n%s\n\\closescreen', '<pre class="screen">%s</pre>'):blocks()
end

return listing
