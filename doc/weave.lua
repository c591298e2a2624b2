-- weave.lua: from noweb's pipeline form to pandoc's document.
--
--     markup ftx.nw | pandoc -f weave.lua -t latex      (or -t html5)
--
-- A custom reader for pandoc 2.17 and later.  All prose goes through one
-- pandoc.read, as Markdown, with a placeholder for every chunk.  Then each
-- chunk, algorithm, figure and number takes its place, once as raw LaTeX and
-- once as raw HTML; the writer keeps the one that it can use.
--
-- The reader's parts are in lua/:
--
--     book.lua         what is known of the book, and its faults
--     noweb.lua        pieces of chunks, and prose
--     tags.lua         which C carries out which line of an algorithm
--     c.lua            C, token by token
--     identifiers.lua  which piece defines a name, and which use it
--     pair.lua         a bit of the page, as LaTeX and as HTML
--     notation.lua     which names are vectors and matrices
--     formula.lua      mathematics
--     program.lua      numbers that the program computes
--     reference.lua    equations by their number, signs by their explanation
--     tangled.lua      the files that notangle makes of the pieces
--     listing.lua      a piece on the page, with its lines of algorithms
--     algorithm.lua    an algorithm on the page
--     map.lua          all lines of all algorithms, and where they are
--     box.lua          figures, boxes, what the program prints
--     svg.lua          what the program draws
--     index.lua        the indexes
--
-- Here they are put together.  `doc/weave` calls this file and looks after
-- everything else.

package.path = (PANDOC_SCRIPT_FILE:match '^.*/' or '') .. 'lua/?.lua;' .. package.path

local List = require 'pandoc.List'
local utils = require 'pandoc.utils'
local algorithm = require 'algorithm'
local book = require 'book'
local box = require 'box'
local c = require 'c'
local formula = require 'formula'
local identifiers = require 'identifiers'
local index = require 'index'
local listing = require 'listing'
local map = require 'map'
local notation = require 'notation'
local noweb = require 'noweb'
local pair = require 'pair'
local program = require 'program'
local reference = require 'reference'
local tags = require 'tags'
local tangled = require 'tangled'

-------------------------------------------------------------------- learning

-- WEAVE_BESIDE is the page of another book, which this one refers to: its ids,
-- and the types that its header declares.
local function learn_beside()
  local path = os.getenv 'WEAVE_BESIDE' or ''
  if path == '' then return end
  book.beside_page = path:match '[^/]*$'
  for line in io.lines(path) do
    for id in line:gmatch ' id="([^"]*)"' do book.beside[id] = true end
  end
  for line in io.lines 'tangled/ftx.h' do
    local name = line:match '^} (%w+);' or line:match '^typedef .-(%w+);'
    if name then c.types[name] = true end
  end
end

-- Only chapters have numbers: 4.5 is line 5 of Algorithm 4 and nothing else.
-- For the PDF the template sees to it.
local function label_of(header, count)
  if header.level > 1 and os.getenv 'WEAVE_TARGET' ~= 'pdf' then
    header.classes:insert 'unnumbered'
  end
  if header.level > 1 or header.classes:includes 'unnumbered' then
    return utils.stringify(header)
  end
  count.chapter = (count.chapter or 0) + 1
  return 'Chapter ' .. count.chapter
end

-- Learns which equations are displayed.
local function learn_equations(blocks)
  for _, b in ipairs(blocks) do
    local n = reference.equation(b)
    if n then book.labels['equation-' .. n] = 'equation (' .. n .. ')' end
    if b.t == 'Div' then learn_equations(b.content) end
  end
end

-- Learns the algorithms, the numbers of chapters and figures, and every id that
-- a link can lead to.
local function learn(blocks, prose, count)
  for _, b in ipairs(blocks) do
    if b.t == 'Header' then
      book.labels[b.identifier] = label_of(b, count)
      notation.enter(b.level, b.identifier)
    elseif b.t == 'CodeBlock' and b.classes:includes 'tikz' then
      count.figure = (count.figure or 0) + 1
      book.figures[b.identifier] = count.figure
      book.labels[b.identifier] = 'Figure ' .. count.figure
    elseif b.t == 'Div' then
      if b.classes:includes 'algorithm' then algorithm.learn(b, prose) end
      if b.identifier ~= '' then book.labels[b.identifier] = b.identifier end
      learn(b.content, prose, count)
    end
  end
end

--------------------------------------------------------------------- inlines

-- The same without a link in it: a link has none, nor has what is bold.
local function plain(x)
  x.content = x.content:walk { Link = function(y) return y.content end }
  return x
end

-- A link inside the book, or to the page beside it, leads somewhere.  Inside
-- the book it may be without words, and gets its own.
local function link(x)
  local page, id = x.target:match '^([%w.]*)#(.*)$'
  if not id then return end
  if page ~= '' and book.beside[id] and page == book.beside_page then
    return plain(x)
  elseif page ~= '' or not book.labels[id] then
    book.fault(book.here, 'the link [%s](%s) leads nowhere.',
               utils.stringify(x), x.target)
  elseif #x.content == 0 then
    x.content = { pandoc.Str((book.labels[id]:gsub(' ', '\u{A0}'))) }
    return x
  end
  return plain(x)
end

-- An erratum that has a place in the book, such as (E30), leads to it.
local function erratum(x)
  local before, id, after = x.text:match '^(%(?)(E%d+)(%)?[.,;:]?)$'
  local page = book.labels[id] and '' or book.beside[id] and book.beside_page
  if not id or not page then return end
  return { pandoc.Str(before), pandoc.Link(id, page .. '#' .. id),
           pandoc.Str(after) }
end

local function span(x)
  if x.classes:includes 'value' then
    return formula.filter(pandoc.Math('InlineMath', (program.value(x, true))))
  elseif x.classes:includes 'calc' then
    return pandoc.Str(program.calc(x))
  end
end

local inlines = { Math = formula.filter, Link = link, Span = span,
                  Str = erratum, Strong = plain }

--------------------------------------------------------------------- spreads

-- The piece that the reader has left in the place of its code.
local function piece_at(b)
  local n = b.t == 'RawBlock' and b.format == 'ftx' and b.text:match '^chunk (%d+)$'
  return n and book.pieces[tonumber(n)]
end

-- Where the last C of algorithm n stands in its section.
local function last_piece(blocks, i, n)
  local last = i
  for k = i + 1, #blocks do
    if blocks[k].t == 'Header' and blocks[k].level <= 2 then break end
    local piece = piece_at(blocks[k])
    if piece and piece.algorithm == n then last = k end
  end
  return last
end

-- An algorithm, its figure and its C stand on one spread. The text behind it
-- may then come first.
local function spread(blocks)
  local out, i = List{}, 1
  while i <= #blocks do
    local b, last = blocks[i], i
    local n = b.t == 'Div' and b.classes[1] == 'algorithm'
      and tonumber(b.attributes.number)
    if n then
      last = last_piece(blocks, i, n)
      b = pandoc.Div(table.move(blocks, i, last, 1, List{}),
                     pandoc.Attr('', { 'spread' }, { number = n }))
    end
    out:insert(b)
    i = last + 1
  end
  return out
end

---------------------------------------------------------------------- blocks

local set = {}                          -- what becomes of each kind of block

-- The table that a block is, or begins with.
local function table_in(b)
  return b and (b.t == 'Table' and b or b.t == 'Div' and table_in(b.content[1]))
end

local function set_blocks(blocks)
  local out = List{}
  for k, b in ipairs(blocks) do
    if b.t == 'Header' and b.level > 1 and table_in(blocks[k + 1]) then
      out:insert(pandoc.RawBlock('latex', '\\room{12}'))
    end
    local woven = set[b.t] and set[b.t](b)
    if not woven then out:insert(b:walk(inlines))
    elseif woven.t then out:insert(woven)
    else out:extend(woven) end
  end
  return out
end

-- A formula in a heading needs words for the bookmarks.
function set.Header(b)
  notation.enter(b.level, b.identifier)
  return b:walk { Math = function(m)
    local tex, html = table.unpack(formula.filter(m))
    tex.text = ('\\texorpdfstring{%s}{%s}'):format(tex.text,
                                                  m.text:gsub('[\\{}$]', ''))
    return { tex, html }
  end }:walk(inlines)
end

-- A displayed formula that is a paragraph is set as a block.
function set.Para(b)
  local para = program.display(b) or b
  local alone = #para.content == 1 and para.content[1]
  if alone and alone.t == 'Math' and alone.mathtype == 'DisplayMath' then
    local p, n = formula.pair(alone), reference.equation(para)
    return pair.new(
      p.tex:gsub('^\\displayed', n and '\\displayedequation{' .. n .. '}'
                                  or '\\displayedblock'),
      (n and '<p id="equation-' .. n .. '">' or '<p>') .. p.html .. '</p>'):blocks()
  end
end

-- What noweb.lua has left in the prose: a chunk, or a line's number.
function set.RawBlock(b)
  local what, n = b.text:match '^(%a+) (%d+)$'
  if b.format ~= 'ftx' then return end
  if what == 'chunk' then return listing.piece(book.pieces[tonumber(n)]) end
  book.here = tonumber(n)
  return pandoc.RawBlock('latex', '%@ ' .. book.at(book.here))
end

function set.CodeBlock(b)
  if b.classes:includes 'tikz' then return box.figure(b)
  elseif b.classes:includes 'run' then return box.run(b)
  elseif b.classes:includes 'sheet' then return box.sheet(b)
  elseif b.classes:includes 'file' then return box.file(b) end
  return listing.screen(b.text)
end

-- A table begins on a new page rather than be torn after a few rows.
function set.Table(b)
  local rows = #b.head.rows + #b.bodies[1].body
  if book.notation then formula.check_notation(b.bodies[1].body) end
  return List{ pandoc.RawBlock('latex', ('\\room{%d}'):format(rows > 12 and 6 or rows + 4)),
               b:walk(inlines) }
end

function set.Div(b)
  local class = b.classes[1]
  if class == 'algorithm' then return algorithm.set(b)
  elseif class == 'map' then return map()
  elseif class == 'index' then
    book.indexed = book.indexed or b.attributes.of ~= 'subjects'
    return index[b.attributes.of](b)
  end
  book.folded, book.notation = class == 'operations', b.classes:includes 'notation'
  b.content = set_blocks(b.content)
  book.folded, book.notation = false, false
  if class == 'spread' then
    return List{ pandoc.RawBlock('latex', '\\beginspread{' .. b.attributes.number .. '}') }
      .. b.content .. { pandoc.RawBlock('latex', '\\closespread') }
  end
  return box.frames[class] and box.frames[class](b, b.content) or b
end

------------------------------------------------------------------ the reader

-- The indexes come at the end, unless the book says where, or is short.
local function append_indexes(blocks, short)
  if book.indexed or short then return end
  for _, what in ipairs { 'chunks', 'identifiers' } do
    blocks:insert(pandoc.Header(2, 'Index of ' .. what,
      pandoc.Attr('index-of-' .. what, { 'unnumbered' })))
    blocks:extend(index[what]())
  end
end

local function only_figures(doc)
  local figures = List{}
  local function find(blocks)
    for _, b in ipairs(blocks) do
      if b.t == 'Header' then notation.enter(b.level, b.identifier)
      elseif b.t == 'Div' then find(b.content)
      elseif b.t == 'CodeBlock' and b.classes:includes 'tikz' then
        figures:extend(box.figure(b))
      end
    end
  end
  find(doc.blocks)
  return pandoc.Pandoc(figures)
end

function Reader(input)
  local prose = noweb.read(tostring(input))
  noweb.connect()
  tangled.learn()
  learn_beside()
  for _, piece in ipairs(book.pieces) do
    tags.check_widths(piece)
    tags.settle(piece)
    c.lex(piece)
  end
  identifiers.index()
  local doc = pandoc.read(noweb.markdown(prose), 'markdown')
  learn_equations(doc.blocks)
  doc = reference.link(doc)
  reference.check_signs(doc.blocks)
  learn(doc.blocks, prose, {})
  if os.getenv 'WEAVE_TARGET' == 'figures' then
    doc = only_figures(doc)
  else
    tags.check()
    doc.blocks = set_blocks(spread(doc.blocks))
    append_indexes(doc.blocks, doc.meta.short)
    doc.meta.title = doc.meta.title or book.files[1].name:match '([^/.]*)[^/]*$'
  end
  book.refuse_if_faulty()
  return doc
end
