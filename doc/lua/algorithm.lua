-- algorithm.lua: an algorithm as the paper prints it, and line for line.

local book = require 'book'
local List = require 'pandoc.List'
local formula = require 'formula'
local listing = require 'listing'
local pair = require 'pair'

local algorithm = {}

-- A line: its formula, its indentation, the paper's remark. A remark alone
-- is no line; it stands above the next.
local function read_line(inlines)
  local line, rest = { indent = 0 }, List{}
  for _, x in ipairs(inlines) do
    local blanks, text = (x.text or ''):match '^([ \u{A0}]+)(.*)$'
    if x.t == 'Span' and x.classes:includes 'remark' then
      line.remark = formula.inlines(x.content)
    elseif #rest == 0 and x.t == 'Str' and blanks then
      line.indent = utf8.len(blanks)
      if text ~= '' then rest:insert(pandoc.Str(text)) end
    else
      rest:insert(x)
    end
  end
  while #rest > 0 and rest[#rest].t == 'Space' do rest:remove() end
  line.formula = #rest > 0 and formula.inlines(rest)
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
  book.algorithms[n] = a
end

local function red(n) return pair.new(n, '<b class="n">' .. n .. '</b>') end

local function indented(line)
  return line.formula:within('{' .. line.indent .. '}{%s}',
    ('<span style="padding-left:%.1fem">'):format(line.indent / 2) .. '%s</span>')
end

local function set_line(line, n)
  local remark = line.remark
    and line.remark:within('{%s}', '<span class="remark">⟦%s⟧</span>')
    or pair.new('{}', '')
  local above = line.above and line.above:within('\\algorithmcomment{%s}\n',
    '<li class="comment">%s</li>') or pair.new('', '')
  return above .. pair.new('\\algorithmline{', '<li>') .. red(n) .. pair.new('}', '')
    .. indented(line) .. remark .. pair.new('', '</li>')
end

-- A page may break before line n, with some lines left on either side.
local function may_break(n, lines)
  return pair.new((n > 4 and n < lines - 2) and '\\penalty150 ' or '\\nobreak ', '')
end

function algorithm.set(div)
  local a = book.algorithms[tonumber(div.attributes.number)]
  local out = List { a.title:within(
    ('%%%%@ %s Algorithm %d\n\\beginalgorithm{%d}{%%s}'):format(
      book.at(a.place), a.number, a.number),
    ('<section class="algorithm" id="algorithm-%d"><p class="head"><b>Algorithm %d'
     .. '</b> %%s <small>adapted from [PH22]</small></p>'):format(a.number, a.number)) }
  for _, h in ipairs(a.heading) do
    out:insert(h:within('\\algorithmhead{%s}', '<p>%s</p>'))
  end
  out:insert(pair.new('', '<ol>'))
  for n, line in ipairs(a.lines) do
    out:insert(may_break(n, #a.lines) .. set_line(line, n))
  end
  out:insert(pair.new('\\closealgorithm', '</ol></section>'))
  return pair.join(out, '\n', '\n'):blocks()
end

------------------------------------------------------------- line for line

-- All the C of each line: runs of lines, in the order of the book.
local function find_runs()
  local runs = {}                       -- "4.5" -> its runs
  local function add(l, i, piece, key)
    runs[key] = runs[key] or List{}
    local run = runs[key][#runs[key]]
    if not run or run.piece ~= piece or run.last < i - 1 then
      run = List{}
      run.piece = piece
      runs[key]:insert(run)
    elseif run.last == i then           -- a tag said twice
      return
    end
    run:insert(l)
    run.last = i
  end
  for _, piece in ipairs(book.pieces) do
    for i, l in ipairs(piece.lines) do
      for _, tag in ipairs(l.tags) do add(l, i, piece, tag[1] .. '.' .. tag[2]) end
    end
  end
  return runs
end

local runs                              -- found when first asked for
local function runs_of(a, n)
  runs = runs or find_runs()
  return runs[a .. '.' .. n] or {}
end

local function indent_of(l)
  local first = l.tokens[1]
  return first and first[1] == 'space' and #first[2] or 0
end

local function columns_of(l)
  local n = 0
  for _, t in ipairs(l.tokens) do n = n + (utf8.len(t[2]) or 0) end
  return n
end

-- The C of line n, each run moved to the left, and its widest line.
local function code_of_line(a, n)
  local out, widest, piece = pair.new('', ''), 1, nil
  for _, run in ipairs(runs_of(a, n)) do
    if piece and piece ~= run.piece then  -- a variant, or another function
      out = out .. pair.new('\\othercode ', '<span class="gap"></span>')
    end
    piece = run.piece
    local skip = math.min(table.unpack(List.map(run, indent_of)))
    for _, l in ipairs(run) do
      widest = math.max(widest, columns_of(l) - skip)
      out = out .. listing.code(l.tokens, skip)
        :within('\\lineboxed{%s}', '<code>%s</code>')
    end
  end
  return out, widest
end

function algorithm.line_for_line(div)
  local a = book.algorithms[tonumber(div.attributes.number)]
  if not a then
    book.fault(book.here, 'line for line: there is no Algorithm %s.',
               div.attributes.number or '')
    return List{}
  end
  local out, widest = List{}, 1
  for n, line in ipairs(a.lines) do
    local code, columns = code_of_line(a.number, n)
    widest = math.max(widest, columns)
    out:insert(may_break(n, #a.lines) .. pair.new('\\lineforline{', '<tr><td>') .. red(n)
      .. pair.new('}', '</td><td>') .. indented(line)
      .. code:within('{%s}', '</td><td>%s</td></tr>'))
  end
  return pair.join(out, '\n', '\n'):within(
    ('%%%%@ %s line for line\n\\beginlines{%d}{%d}\n%%s\n\\closelines'):format(
      book.at(book.here), a.number, widest),
    '<section class="lines"><p class="head"><b>Algorithm ' .. a.number ..
    '</b>, line for line</p><table>\n%s\n</table></section>'):blocks()
end

return algorithm
