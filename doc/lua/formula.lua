-- formula.lua: every formula, for both outputs.
--
-- They are rendered here, and not by pandoc's writers, so that both can be put
-- right.  Matrices and vectors are set bold italic, as in the paper; which they
-- are says notation.lua.

local book = require 'book'
local notation = require 'notation'
local pair = require 'pair'
local utils = require 'pandoc.utils'

local formula = {}

------------------------------------------------------- matrices and vectors

-- Commands whose argument is not touched, and those that are letters.
local VERBATIM, GREEK = {}, {}
for word in ([[mathtt mathrm mathbb mathcal mathbf mathit mathbfit mathsf text
  textbf operatorname begin end]]):gmatch '%S+' do VERBATIM[word] = true end
for word in ([[alpha beta gamma theta]]):gmatch '%S+' do GREEK[word] = true end

-- The accent before a letter, its index, and whether a power comes first.
local function accent(before) return before:match '\\(%a+)%s*{?%s*$' end
local function index(after)
  local power = after:match '^%s*%^%s*%b{}' or after:match '^%s*%^%s*\\%a+'
    or after:match '^%s*%^%s*.' or ''
  after = after:sub(#power + 1)
  local i = after:match '^_%s*(%b{})' or after:match '^_%s*(\\%a+)'
    or after:match '^_%s*(.)' or ''
  return i:match '^{(.*)}$' or i, power ~= '' and '^'
end

-- Is the letter from i to k the name of a matrix or a vector?
local function is_array(tex, i, k)
  return notation.is_array(tex:sub(i, k), accent(tex:sub(1, i - 1)), index(tex:sub(k + 1)))
end

-- A script of several letters is a word: d_{attn}.  W_{qkv} has three indices.
-- One with an entry in it is a formula: e^{S[i, j]}.
local function script(s)
  if s:match '^%^.*%[' then return '^{' .. formula.bold(s:match '{(.*)}') .. '}' end
  return (s:gsub('{(%a%a+)}', function(word)
    return word ~= 'qkv' and '{\\mathrm{' .. word .. '}}' or nil
  end))
end

-- What has two indices, or is transposed, is a matrix or a vector, and so is
-- what has one, unless it is a sequence.
local SEQUENCES = { x = true, y = true, z = true }

local function is_used_as_array(letter, after)
  after = after:gsub('^_%b{}', ''):gsub('^_.', '')
  local indices = after:match '^%b[]'
  return after:match '^%s*%^{?\\top'
    or indices and not indices:match '^%[\\!' and
       (indices:gsub('%b[]', ''):match ',' or not SEQUENCES[letter])
end

function formula.bold(tex)
  local out, at = '', 1
  local function take(pattern)
    local found = tex:match('^' .. pattern, at)
    at = at + (found and #found or 0)
    return found
  end
  while at <= #tex do
    local start, word = at, tex:match('^\\(%a+)', at)
    local event = take '\\mathbb P_%b{}%b[]' or take '\\mathbb P%b[]'
    if event then                       -- of random numbers
      out = out .. event
    elseif VERBATIM[word] then
      local s = take '\\%a+%s*%b{}' or take '\\%a+%s*[^\\]' or take '\\%a+'
      out = out .. s:gsub('([^\\])_', '%1\\_')
    elseif GREEK[word] or tex:match('^%a', at) then
      local s = take '%a' or take '\\%a+'
      local array = is_array(tex, start, start + #s - 1)
      if not array and is_used_as_array(s, tex:sub(at)) then
        book.fault(book.here, 'in $%s$ %s is used as a vector or a matrix, but '
                   .. 'notation.lua does not have it as one.', tex, s)
      end
      out = out .. (array and '{\\mathbfit ' .. s .. '}' or s)
    else
      local s = take '[_^]%s*%b{}'
      out = out .. (s and script(s) or take '[_^]%s*\\%a+' or take '[_^]%s*.'
        or take '\\%a+%s*' or take '\\.' or take '[^%a\\_^]+' or take '.')
    end
  end
  return out
end

-- The formulas of a cell of a table, parted at their commas.
local function parts(cell)
  local out = {}
  pandoc.Div(cell.contents):walk { Math = function(m)
    local text = m.text:gsub('%b{}', function(s) return (s:gsub(',', '\0')) end)
      :gsub('%b[]', function(s) return (s:gsub(',', '\0')) end)
      :gsub('%b()', function(s) return (s:gsub(',', '\0')) end)
    for part in text:gmatch '[^,]+' do
      table.insert(out, (part:gsub('\0', ','):match '^%s*(.-)%s*$'))
    end
  end }
  return out
end

local function codes(cell)
  local out = {}
  pandoc.Div(cell.contents):walk { Code = function(c) table.insert(out, c.text) end }
  return out
end

-- The names in C of a row occur in the file of the row.
local function check_names(row)
  local name = row.cells[5] and codes(row.cells[5])[1]
  if not name then return end
  local file = io.open('tangled/' .. name)
  local text = file and ' ' .. file:read 'a' or ''
  if file then file:close() end
  for _, code in ipairs(codes(row.cells[4])) do
    for word in code:gmatch '[%a_][%w_]*' do
      if not text:find('%f[%w_]' .. word .. '_?%f[^%w_]') then
        book.fault(book.here, 'the notation has %s in %s, where it is not.', word, name)
      end
    end
  end
end

-- A table of the notation has a name and then its type; what has a power of
-- the reals as its type, or of an interval of them, is bold, and nothing else.
function formula.check_notation(rows)
  for _, row in ipairs(rows) do
    local types = parts(row.cells[2])
    for i, name in ipairs(parts(row.cells[1])) do
      local type = types[i] or types[#types]
      local bare = name:gsub('\\mathbfit', ''):gsub('^\\%a+%s*{?(\\?%a+)}?', '%1')
      if type and bare:match '^[{}%s]*\\?%a+[{}%s]*[_^%d%w{}]*$'
         and (not name:match '\\math' or name:match '\\mathbfit') then
        local array = type:match '\\mathbb R%^' or type:match '[%])]%^'
        local bold = formula.bold(name):match '\\mathbfit'
        if (array ~= nil) ~= (bold ~= nil) then
          book.fault(book.here, 'the notation gives $%s$ the type $%s$, but it is %sbold.',
                     name, type, bold and '' or 'not ')
        end
      end
    end
    check_names(row)
  end
end

---------------------------------------------------------------------- MathML

-- Letters of a styled alphabet back to ASCII; the style sheet sets the face.
local function plain_letters(styled)
  return (styled:gsub('</?mi>', ''):gsub(utf8.charpattern, function(c)
    local code = utf8.codepoint(c)
    for first, ascii in pairs { [0x1D670] = 65, [0x1D68A] = 97, [0x1D7F6] = 48 } do
      if code >= first and code < first + 26 then
        return string.char(code - first + ascii)
      end
    end
  end))
end

-- pandoc 3 styles each letter, pandoc 2.17 all of a word: make it a word.
local function one_style_a_word(html)
  html = html:gsub('<(m[in]) mathvariant="([%a-]+)">([^<]*)</m[in]>',
                   '<mstyle mathvariant="%2"><%1>%3</%1></mstyle>')
  html = html:gsub('<mstyle mathvariant="([%a-]+)">(<mstyle mathvariant="%1">.-</mstyle>)'
                   .. '</mstyle>', '%2')    -- said twice
  for _, style in ipairs { 'monospace', 'normal', 'italic' } do
    local open, n = '<mstyle mathvariant="' .. style .. '"><mi>', 1
    while n > 0 do
      html, n = html:gsub('(' .. open .. '[%w<>/]-</mi>)</mstyle>' .. open, '%1<mi>')
    end
  end
  return html
end

local SPACING = { ['̃'] = '˜', ['̂'] = 'ˆ' }       -- accents that stand alone

-- What pandoc's MathML lacks: words are one piece, \ell is a letter, accents
-- and parentheses do not stretch, a bold digit is bold.
local function better_mathml(html, tex)
  html = one_style_a_word(html)
    :gsub('<annotation.-</annotation>', ''):gsub('</?semantics>', '')
    :gsub(' xmlns="[^"]*"', '')
    :gsub('<mstyle mathvariant="monospace">(.-)</mstyle>', function(word)
      return '<mtext class="tt">' .. plain_letters(word) .. '</mtext>' end)
    :gsub('<mstyle mathvariant="normal">(.-)</mstyle>', function(word)
      return '<mi mathvariant="normal">' .. word:gsub('</?mi>', '') .. '</mi>' end)
    :gsub('<mstyle mathvariant="bold[-%a]*"><mn>(%d)</mn></mstyle>', function(d)
      return '<mn>' .. utf8.char(0x1D7CE + tonumber(d)) .. '</mn>' end)
    :gsub('<mstyle mathvariant="[%a-]+">(<m[in]>[^<]*</m[in]>)</mstyle>', '%1')
    :gsub('<mo>(ℓ)</mo>', '<mi>%1</mi>'):gsub('<mo>(%a+)</mo>', '<mi>%1</mi>')
    :gsub('<mo accent="true">([^<]*)</mo>', function(accent)
      return '<mo stretchy="false">' .. (SPACING[accent] or accent) .. '</mo>' end)
    :gsub('columnalign="(%a+)"', 'style="text-align:%1"')
    :gsub('(</mo>)<mo>−</mo>', '%1<mo form="prefix">−</mo>')
  if not tex:match '\\left%A' then      -- only what embraces a table stretches
    html = html:gsub('stretchy="true"', 'stretchy="false"')
      :gsub('stretchy="false"( form="prefix">[^<]*</mo><mtable)', 'stretchy="true"%1')
      :gsub('(</mtable><mo )stretchy="false"', '%1stretchy="true"')
  end
  return html
end

--------------------------------------------------------------------- outputs

local function to_html(doc)
  return pandoc.write(doc, 'html5', { html_math_method = 'mathml' })
end

local rendered = {}                     -- what has been rendered once

-- A formula as a pair.
function formula.pair(math)
  local display = math.mathtype == 'DisplayMath'
  local bold = formula.bold(math.text)
  local key = math.mathtype .. bold
  if not rendered[key] then
    local tex = bold
      :gsub('%[\\!%[', '\\llbracket '):gsub('%]\\!%]', '\\rrbracket ')
    local html = to_html(pandoc.Pandoc {
      pandoc.Plain { pandoc.Math(math.mathtype, tex) } })
    if not html:match '<math' then
      book.fault(book.here, 'the formula $%s$ cannot be turned into MathML.',
                 math.text)
    end
    tex = tex:gsub('%[:,', '[{:},')             -- a colon that no line ends at
    rendered[key] = pair.new(display and '\\displayed{' .. tex .. '}'
      or '$' .. tex .. '$', better_mathml(html, tex))
  end
  return rendered[key]
end

-- The same as inlines, for pandoc's document: a filter.
function formula.filter(math)
  local p = formula.pair(math)
  return { pandoc.RawInline('latex', p.tex), pandoc.RawInline('html', p.html) }
end

-- Any inlines as a pair, for what this reader puts together by itself.
function formula.inlines(inlines)
  local doc = pandoc.Pandoc { pandoc.Plain(inlines) }
  return pair.new((pandoc.write(doc, 'latex'):gsub('%s+$', '')),
                  (to_html(doc):gsub('%s+$', '')))
end

local worded = {}                       -- what has been read once: names of chunks

function formula.markdown(text)
  local key = notation.place() .. text
  if not worded[key] then
    local doc = pandoc.read(text, 'markdown'):walk { Math = formula.filter }
    worded[key] = formula.inlines(utils.blocks_to_inlines(doc.blocks))
  end
  return worded[key]
end

return formula
