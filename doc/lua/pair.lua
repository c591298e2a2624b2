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
  local out = pair.new('', '')
  for i, x in ipairs(list) do
    out = out .. (i == 1 and '' or i == #list and last or glue) .. x
  end
  return out
end

local HTML = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }

-- Text that means nothing to either, blanks kept.
function pair.text(s)
  local tex = s:gsub('[\\{}$&#^_~%%]', function(c)
    return '\\char' .. c:byte() .. '\\relax{}'
  end):gsub('%-%-+', function(hyphens)      -- and not a dash
    return ('-\\kern0pt{}'):rep(#hyphens)
  end):gsub(' ', '\\ ')
  return pair.new(tex, (s:gsub('[&<>"]', HTML)))
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
