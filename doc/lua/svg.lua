-- svg.lua: the SVG that the program draws, as TikZ.  It knows rectangles,
-- texts and straight paths, which is all that the program uses.

local svg = {}

local LETTER = 0.82             -- the template's scale of the monospaced font
local WIDEST = 490              -- of a figure, in pt; a pixel is at most 0.62

local function attributes(text)
  local a = {}
  for name, value in text:gmatch '([%w-]+)="([^"]*)"' do a[name] = value end
  return a
end

local function colour(value)
  local r, g, b = (value or ''):match '^#(%x%x)(%x%x)(%x%x)$'
  if not r then
    r, g, b = (value or ''):match '^#(%x)(%x)(%x)$'
    if r then r, g, b = r .. r, g .. g, b .. b end
  end
  if not r then return value or 'black' end
  return ('{rgb,255:red,%d;green,%d;blue,%d}'):format(
    tonumber(r, 16), tonumber(g, 16), tonumber(b, 16))
end

local function style(a)
  local s = {}
  if a.fill and a.fill ~= 'none' then
    table.insert(s, 'fill=' .. colour(a.fill))
    table.insert(s, 'fill opacity=' .. (a['fill-opacity'] or 1))
  end
  if a.stroke then table.insert(s, 'draw=' .. colour(a.stroke)) end
  if a.rx then table.insert(s, 'rounded corners=2pt') end
  table.insert(s, 'line width=' .. (a['stroke-width'] and .2 or .4) .. 'pt')
  return table.concat(s, ', ')
end

local function escaped(text)
  return (text:gsub('&#(%d+);', function(n) return utf8.char(tonumber(n)) end)
    :gsub('[\\{}_^#&%%$~]', function(c)
      return ('\\char%d{}'):format(c:byte())
    end))
end

local draw = {}

function draw.rect(a)
  if not a.x then return '' end
  return ('\\path[%s] (%s,%s) rectangle ++(%s,%s);'):format(
    style(a), a.x, a.y, a.width, a.height)
end

function draw.text(a, text, size)
  local anchors = { middle = 'base', ['end'] = 'base east' }
  return ('\\node[inner sep=0pt, anchor=%s, text=%s%s, font=%s%s] at (%s,%s) {%s};')
    :format(anchors[a['text-anchor']] or 'base west', colour(a.fill),
            a.transform and ', rotate=90' or '', size,
            a['font-weight'] and '\\bfseries' or '', a.x, a.y, escaped(text))
end

function draw.path(a)
  local points = {}
  for x, y in a.d:gmatch '(%d+) (%d+)' do
    table.insert(points, ('(%s,%s)'):format(x, y))
  end
  return ('\\path[%s] %s%s;'):format(style(a), table.concat(points, ' -- '),
                                     a.d:match 'Z' and ' -- cycle' or '')
end

function svg.tikz(text)
  local page = attributes(text:match '<svg([^>]*)>' or '')
  local width, height = tonumber(page.width), tonumber(page.height)
  if not width then return nil end
  local unit = math.min(0.62, WIDEST / (width - 52))
  local size = ('\\ttfamily\\fontsize{%.2f}{%.2f}\\selectfont'):format(
    11 * unit / LETTER, 13 * unit / LETTER)
  local out = {
    ('\\begin{tikzpicture}[x=%.4fpt, y=-%.4fpt]'):format(unit, unit),
    ('\\path[use as bounding box] (26,8) rectangle (%d,%d);'):format(
      width - 26, height - 8),
  }
  for name, tag, body in text:gmatch '<(%a+)([^>]*)>([^<]*)' do
    if draw[name] then
      table.insert(out, draw[name](attributes(tag), body, size))
    end
  end
  table.insert(out, '\\end{tikzpicture}')
  return table.concat(out, '\n')
end

return svg
