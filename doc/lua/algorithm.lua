-- algorithm.lua: an algorithm as the paper prints it.

local book = require 'book'
local List = require 'pandoc.List'
local formula = require 'formula'
local listing = require 'listing'
local pair = require 'pair'

local PAPER = 'https://arxiv.org/abs/2207.09238'
local algorithm = {}

-- What a formula says without the words behind it: "..., where".
local function before_where(inlines)
  local out = List{}
  for _, x in ipairs(inlines) do
    if x.t == 'Str' and x.text == 'where' then break end
    out:insert(x)
  end
  local last = out[#out]
  while last and (last.t == 'Space' or last.text == ',') do
    out:remove()
    last = out[#out]
  end
  return out
end

-- A line: its formula, its indentation, the paper's remark, the shape of what
-- it computes. A remark alone is no line; it stands above the next.
local function read_line(inlines)
  local line, rest = { indent = 0 }, List{}
  for _, x in ipairs(inlines) do
    local blanks, text = (x.text or ''):match '^([ \u{A0}]+)(.*)$'
    if x.t == 'Span' and x.classes:includes 'remark' then
      line.remark = formula.inlines(x.content)
    elseif x.t == 'Span' and x.classes:includes 'shape' then
      line.shape = formula.inlines(x.content)
    elseif #rest == 0 and x.t == 'Str' and blanks then
      line.indent = utf8.len(blanks)
      if text ~= '' then rest:insert(pandoc.Str(text)) end
    else
      rest:insert(x)
    end
  end
  while #rest > 0 and rest[#rest].t == 'Space' do rest:remove() end
  line.formula = #rest > 0 and formula.inlines(rest)
  line.short = #rest > 0 and formula.inlines(before_where(rest))
  return line
end

local function read_lines(content)
  local lines, above = List{}, nil
  for _, inlines in ipairs(content) do
    local line = read_line(inlines)
    if line.formula then
      line.above, above = above, nil
      lines:insert(line)
    else
      above = line.remark
    end
  end
  return lines
end

-- Where in the source this algorithm begins.
local function place_of(n, prose)
  local pattern = '{%.algorithm%s.*number="?' .. (n or '') .. '[" }]'
  local p = prose:find_if(function(q) return q[1]:match(pattern) end)
  return p and p[2]
end

-- Learns an algorithm from its Div, before anything is set.
function algorithm.learn(div, prose)
  local n = tonumber(div.attributes.number)
  book.here = place_of(n, prose) or book.here
  if not n or book.algorithms[n] then
    book.fault(book.here, 'an algorithm needs a number of its own.')
    return
  end
  local a = { number = n, place = book.here, lines = List{}, heading = List{},
              title = formula.markdown(div.attributes.title or '') }
  for _, b in ipairs(div:walk { Math = formula.filter }.content) do
    if b.t == 'LineBlock' then
      a.lines = read_lines(b.content)
    elseif b.t == 'Para' then
      a.heading:insert(formula.inlines(b.content))
    elseif b.t ~= 'RawBlock' then
      book.fault(a.place, 'Algorithm %d has more than paragraphs and lines.', n)
    end
  end
  for k in ipairs(a.lines) do
    local name = listing.tag { n, k }
    book.labels[name] = 'line ' .. name
  end
  book.algorithms[n] = a
end

-- The name of a line, 8.16, leads to its C and can be linked to.
local function name_of(a, n)
  local name = listing.tag { a, n }
  return pair.new(
    ('\\lineanchor{algorithm-%s}\\hyperlink{%s}{\\linenumber{%s}}'):format(name, name, name),
    ('<a class="n" href="#%s">%s</a>'):format(name, name))
end

local function indented(line)
  return line.formula:within('{' .. line.indent .. '}{%s}',
    ('<span style="padding-left:%.1fem">'):format(line.indent / 2) .. '%s</span>')
end

-- On the page a loop is a box that can be closed: its first line, and the lines
-- that stand further in.
local function set_line(lines, a, n)
  local line, depth = lines[n], lines[n].indent
  local opens = lines[n + 1] and lines[n + 1].indent > depth
  local closes = lines[n + 1] and lines[n + 1].indent < depth
  local remark = line.remark
    and line.remark:within('{%s}', '<span class="remark">⟦%s⟧</span>')
    or pair.new('{}', '')
  local above = line.above and line.above:within('\\algorithmcomment{%s}\n',
    '<li class="comment">%s</li>') or pair.new('', '')
  return above .. pair.new('\\algorithmline{', ('<li id="algorithm-%d.%d">'):format(a, n)
                           .. (opens and '<details open="open"><summary>' or ''))
    .. name_of(a, n) .. pair.new('}', '')
    .. indented(line) .. remark .. pair.new('', opens and '</summary><ol>' or '</li>'
      .. (closes and '</ol></details></li>' or ''))
end

function algorithm.set(div)
  local a = book.algorithms[tonumber(div.attributes.number)]
  local out = List { a.title:within(
    ('%%%%@ %s Algorithm %d\n\\beginalgorithm{%d}{%%s}'):format(
      book.at(a.place), a.number, a.number),
    ('<section class="algorithm" id="algorithm-%d"><p class="head"><b>Algorithm %d'
     .. '</b> %%s <small>adapted from <a href="' .. PAPER .. '">[PH22]</a></small></p>'):format(a.number, a.number)) }
  for _, h in ipairs(a.heading) do
    out:insert(h:within('\\algorithmhead{%s}', '<p>%s</p>'))
  end
  out:insert(pair.new('', '<ol>'))
  for n in ipairs(a.lines) do out:insert(set_line(a.lines, a.number, n)) end
  out:insert(pair.new('\\closealgorithm', '</ol></section>'))
  return pair.join(out, '\n', '\n'):blocks()
end

return algorithm
