-- program.lua: what the book's own program prints, put into the book.

local book = require 'book'
local List = require 'pandoc.List'
local utils = require 'pandoc.utils'
local fault = book.fault

local program = {}

function program.run(command)
  local ok, result = pcall(pandoc.pipe, 'sh', { '-c', command .. ' 2>&1' }, '')
  if ok then return result, 0 end
  return type(result) == 'table' and result.output or '',
         type(result) == 'table' and result.error_code or 127
end

-- The JSON of `ftx show` is a Lua table in other words.
local function json(text)
  local strings = {}
  text = text:gsub('"([^"]*)"', function(s)
    table.insert(strings, s)
    return '@' .. #strings .. '@'
  end)
  text = text:gsub('[][]', { ['['] = '{', [']'] = '}' }):gsub('null', 'false')
    :gsub('@(%d+)@%s*:', '[s[%1]]='):gsub('@(%d+)@', 's[%1]')
  local chunk = load('local s = ... return ' .. text, 'json', 't', {})
  return chunk and chunk(strings)
end

local shown = {}                        -- sheet -> its steps

local function steps_of(sheet)
  if shown[sheet] == nil then
    local output, status = program.run('ftx show --json ' .. sheet)
    local answer = status == 0 and json(output)
    shown[sheet] = answer and answer.steps or false
    if answer then answer.steps.decimals = answer.decimals end
    if not shown[sheet] then
      fault(book.here, '`ftx show --json %s` does not answer: %s', sheet,
            output:match '[^\n]*' or '')
    end
  end
  return shown[sheet] or nil
end

-- A number as it is printed: at most so many digits after the point.
local function number(x, digits, rounded)
  if type(x) ~= 'number' then
    return ({ ['-inf'] = '-\\infty', inf = '\\infty' })[x] or '\\text{' .. x .. '}'
  end
  if math.abs(x) < 1e-15 then return '0' end    -- rounding
  local text = ('%.' .. digits .. 'f'):format(x)
  if text:match '%.' then text = text:gsub('0+$', ''):gsub('%.$', '') end
  if x ~= 0 and not rounded and not text:match '[1-9]' then     -- small
    local mantissa, exponent = ('%.' .. digits .. 'g'):format(x):match '(.*)e(.*)'
    text = mantissa and mantissa .. ' \\cdot 10^{' .. tonumber(exponent) .. '}' or text
  end
  return text == '-0' and '0' or text
end

local function matrix(rows, digits, inline, rounded)
  local out = List{}
  for _, row in ipairs(rows) do
    out:insert(table.concat(List.map(row, function(x)
      return number(x, digits, rounded) end), ' & '))
  end
  if #rows == 1 and #rows[1] == 1 then return out[1] end
  if #rows == 1 and inline then return '(' .. out[1]:gsub(' & ', ',\\,') .. ')' end
  local kind = inline and 'smallmatrix' or 'matrix'
  return ('\\left(\\begin{%s}%s\\end{%s}\\right)'):format(
    kind, table.concat(out, ' \\\\ '), kind)
end

-- The paper's name of what the sheet calls `name`.
local function paper_name(name)
  local greek, n = name:match '^(%a%a+)_(%d)$'
  if greek then return '\\' .. greek .. '^{' .. n .. '}' end   -- gamma_5
  local stem, accent = name:match '^(%a+)_(tilde)$'
  if not stem then stem, accent = name:match '^(%a+)_(hat)$' end
  if stem then
    return (accent == 'hat' and '\\hat ' or '\\tilde ') .. stem
  end
  return (name:gsub('^(%a%a+)', function(greek)
    return ('alpha beta gamma'):find(greek, 1, true) and '\\' .. greek
      or '\\mathit{' .. greek .. '}'
  end):gsub('_(%w+)', '_{%1}'))
end

-- [S]{.value sheet=...}, [S[1,2]], [S[:,2]]: the TeX of it, and whether it
-- has more than one entry.  `line=4` and `index=2` choose among several, and
-- so do `part=enc`, `turn=2`; `of=grad` and `of=new` are other matrices.
function program.value(span, inline)
  local text = utils.stringify(span)
  local sheet = span.attributes.sheet or '?'
  local name, i, j = text:match '^([%w_]+)%[([%d:]+),%s*([%d:]+)%]$'
  name = name or text
  local steps, found = steps_of(sheet), nil
  for _, step in ipairs(steps or {}) do
    local line, index = span.attributes.line, span.attributes.index
    local of, part = span.attributes.of, span.attributes.part
    local turn = span.attributes.turn
    if step.name == name and (not line or step.line == tonumber(line))
       and (not index or tostring(step.index):match('%d+') == index)
       and step.of == of and (not part or step.part == part)
       and (not turn or step.turn == tonumber(turn)) then
      found = step
    end
  end
  local digits = span.attributes.digits or steps and steps.decimals or 4
  local rows = found and found.values
  if rows and i and i ~= ':' then rows = { rows[tonumber(i)] } end
  if rows and j and j ~= ':' then
    rows = List.map(rows, function(r) return { r[tonumber(j)] } end)
  end
  if rows and rows[1] and rows[1][1] ~= nil then
    return matrix(rows, digits, inline, span.attributes.digits), #rows * #rows[1] > 1, name,
      span.attributes.of
  elseif steps then
    fault(book.here, 'there is no %s among the steps of %s.', text, sheet)
  end
  return '?', false, name
end

-- [`12*768`]{.calc}: what it comes to. A whole number is grouped by thousands.
function program.calc(span)
  local sum = load('return ' .. utils.stringify(span), 'calc', 't', {})
  local x = sum and sum()
  if not x then fault(book.here, '%s cannot be computed.', utils.stringify(span)) end
  if math.type(x) ~= 'integer' then return ('%.2f'):format(x or 0) end
  return (tostring(x):reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', ''))
end

-- A paragraph of nothing but values (and formulas) is displayed.
function program.display(para)
  local out, spans, large = List{}, 0, false
  for _, x in ipairs(para.content) do
    if x.t == 'Span' and x.classes:includes 'value' then spans = spans + 1
    elseif x.t ~= 'Space' and x.t ~= 'SoftBreak' and x.t ~= 'Math'
           and not (x.t == 'Str' and x.text:match '^[,.;]$') then return end
  end
  local named = not para.content:find_if(function(x) return x.t == 'Math' end)
  for _, x in ipairs(para.content) do
    if x.t == 'Math' then out:insert(x.text)
    elseif x.t == 'Str' then out:insert(x.text)
    elseif x.t == 'Span' then
      local tex, many, name, of = program.value(x)
      large = large or many
      if named then
        tex = (#out > 0 and '\\qquad ' or '') .. (of == 'grad' and '\\nabla ' or '')
          .. paper_name(name) .. (of == 'new' and ' \\leftarrow ' or ' = ') .. tex
      end
      out:insert(tex)
    end
  end
  return spans > 0 and large
    and pandoc.Para { pandoc.Math('DisplayMath', table.concat(out, ' ')) } or nil
end

return program
