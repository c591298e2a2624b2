-- map.lua: every line of every algorithm, and where its C is.

local book = require 'book'
local List = require 'pandoc.List'
local listing = require 'listing'
local pair = require 'pair'
local tangled = require 'tangled'

local function link(id, text)
  return pair.new(('\\hyperlink{%s}{%s}'):format(id, text.tex),
                  ('<a href="#%s">%s</a>'):format(id, text.html))
end

-- A line: its name, its formula, its page, the line of the file.
local function entry(a, n, file)
  local name = listing.tag { a.number, n }
  local its_file, at = tangled.place(a.number, n)
  if not at then return '' end                  -- told already
  local place = pair.text(its_file == file and tostring(at) or its_file .. ':' .. at)
  return pair.new('\\mapline{', '<tr><td class="n">')
    .. link(name, pair.new('\\linenumber{' .. name .. '}', name))
    .. a.lines[n].short:within('}{%s}', '</td><td>%s</td>')
    .. pair.new('{\\pageref{' .. name .. '}}', '')
    .. place:within('{%s}', '<td><code>%s</code></td></tr>')
end

local function head(a, file)
  return pair.new(('\\maphead{%d}{'):format(a.number),
                  ('<tr><th colspan="2"><b><a href="#algorithm-%d">Algorithm %d</a></b> ')
      :format(a.number, a.number))
    .. a.title .. pair.code(file):within('}{%s}', '</th><th>%s</th></tr>')
end

return function()
  local out = List{}
  for _, number in ipairs(book.keys(book.algorithms)) do
    local a = book.algorithms[number]
    local file = tangled.place(number, 1)
    out:insert(head(a, file or ''))
    for n in ipairs(a.lines) do out:insert(entry(a, n, file)) end
  end
  return pair.join(out, '\n', '\n'):within('\\beginmap\n%s\n\\closemap',
    '<div class="wide"><table class="map">\n%s\n</table></div>'):blocks()
end
