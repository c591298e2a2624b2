-- pair.lua: a bit of the page, as LaTeX and as HTML at once.
--
-- Pairs are put together like strings.  A string among them stands for both.

local pair = {}
local meta = { __index = pair }

function pair.new(tex, html)
  return setmetatable({ tex = tex, html = html }, meta)
end

local function of(x)
  return type(x) == 'string' and pair.new(x, x) or x
end

function meta.__concat(a, b)
  a, b = of(a), of(b)
  return pair.new(a.tex .. b.tex, a.html .. b.html)
end

-- Puts a pair where both formats have their %s.
function pair:within(tex, html)
  return pair.new(tex:format(self.tex), html:format(self.html))
end

function pair.join(list, glue, last)
  local tex, html = {}, {}
  local function add(x)
    x = of(x)
    table.insert(tex, x.tex)
    table.insert(html, x.html)
  end
  for i, x in ipairs(list) do
    if i > 1 then add(i == #list and last or glue) end
    add(x)
  end
  return pair.new(table.concat(tex), table.concat(html))
end

local HTML = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }

local texts = {}                        -- what has been escaped once

-- Text that means nothing to either, blanks kept.
function pair.text(s)
  if texts[s] then return texts[s] end
  local tex = s:gsub('[\\{}$&#^_~%%]', function(c)
    return '\\char' .. c:byte() .. '\\relax{}'
  end):gsub('%-%-+', function(hyphens)      -- and not a dash
    return ('-\\kern0pt{}'):rep(#hyphens)
  end):gsub(' ', '\\ ')
  texts[s] = pair.new(tex, (s:gsub('[&<>"]', HTML)))
  return texts[s]
end

function pair.code(s)
  return pair.text(s):within('\\texttt{%s}', '<code>%s</code>')
end

-- The two blocks of pandoc's document: its writer keeps the one it can use.
function pair:blocks()
  return pandoc.List { pandoc.RawBlock('latex', self.tex),
                       pandoc.RawBlock('html', self.html) }
end

return pair
