-- box.lua: figures, boxes, and what the program or a file says, verbatim.

local book = require 'book'
local formula = require 'formula'
local listing = require 'listing'
local pair = require 'pair'
local program = require 'program'
local svg = require 'svg'
local utils = require 'pandoc.utils'

local scratch = os.getenv 'WEAVE_SCRATCH'       -- where the figures' SVG is
local target = os.getenv 'WEAVE_TARGET'         -- 'figures': TikZ alone

local box = { frames = {} }            -- frames: by a Div's class

-- In HTML a figure is an SVG that doc/weave has made.  The names in it are
-- made its own.
local function woven(k, caption)
  local file = scratch and io.open(('%s/figure-%d.svg'):format(scratch, k))
  if not file then return '' end
  local text, own = file:read 'a', ('f%d-'):format(k)
  file:close()
  return (text:gsub('^<%?xml.-%?>%s*', ''):gsub(' id="', ' id="' .. own)
    :gsub('xlink:href="#', 'href="#' .. own):gsub('url%(#', 'url(#' .. own)
    :gsub(' xmlns[:%a]*="[^"]*"', ''):gsub('<path[^>]* d=""/>', '')
    :gsub('<svg', ('<svg role="img" aria-labelledby="figure-%d"'):format(k), 1)
    :gsub('>', function() return ('><title id="figure-%d">Figure %d. %s</title>')
      :format(k, k, pair.text(caption).html) end, 1))
end

-- Markdown without its formulas' signs: what is read aloud.
local function words(text)
  return (utils.stringify(pandoc.read(text, 'markdown')):gsub('[\\{}$]', ''))
end

local function trimmed(text) return text:match '^%s*(.-)%s*$' end

local function picture(block)
  if block.attributes.run == 'svg' then         -- what a command draws
    local drawn = svg.tikz((program.run(block.text)))
    if not drawn then
      book.fault(book.here, '`%s` draws no SVG.', trimmed(block.text))
    end
    return drawn or ''
  end
  local text = block.text:gsub('%$([^$]+)%$', function(f)
    return '$' .. formula.bold(f) .. '$'
  end)
  if text:match '\\begin{tikzpicture}' then return text end
  return '\\begin{tikzpicture}\n' .. text .. '\n\\end{tikzpicture}'
end

-- The red numbers in the figure of an algorithm are names of its lines: 8.16.
local function check_lines(block)
  local algorithm = block.identifier:match '^fig%-alg(%d+)$'
  local label = 'node%s*%[num[^%]]*%][^{};]-{([^{}]*)}'
  for names in (algorithm and block.text or ''):gmatch(label) do
    for name in names:gmatch '[^%s,]+' do
      if name:match '^%d+' ~= algorithm or not book.labels[name] then
        book.fault(book.here, 'the figure has the number %s, which is no line '
                   .. 'of Algorithm %s.', name, algorithm)
      end
    end
  end
end

function box.figure(block)
  local id, k = block.identifier, book.figures[block.identifier]
  check_lines(block)
  if target == 'figures' then
    return pair.new(('%%@ %s Figure %d\n\\figurepage{%%\n%s\n}'):format(
      book.at(book.here), k, picture(block)), ''):blocks()
  end
  local caption = formula.markdown(block.attributes.caption or '')
  return pair.new(
    ('%%@ %s Figure %d\n\\beginfigure{%s}\n%s\n\\closefigure{%d}{%s}'):format(
      book.at(book.here), k, id, picture(block), k, caption.tex),
    ('<figure id="%s">%s<figcaption><b>Figure %d.</b> %s</figcaption></figure>')
      :format(id, woven(k, words(block.attributes.caption or '')), k,
              caption.html)):blocks()
end

-- The blocks of a Div between an opening and a closing of ours.
local function framed(open, blocks, tex, html)
  return open:blocks() .. blocks .. pair.new(tex, html):blocks()
end

function box.frames.differs(div, blocks)
  local errata = (div.attributes.errata or ''):gsub('%s+', ', ')
  local function leading_to(form)
    return (errata:gsub('E%d+', function(id)
      return book.labels[id] and form:gsub('@', id)
    end))
  end
  local tex = leading_to '\\hyperlink{@}{@}'
  local html = leading_to '<a href="#@">@</a>'
  return framed(pair.new('\\begindiffers{' .. tex .. '}',
    '<aside class="differs"><p class="head">Where we differ from the paper'
    .. (html ~= '' and ' (' .. html .. ')' or '') .. '</p>'),
    blocks, '\\closediffers', '</aside>')
end

function box.frames.exercises(_, blocks)
  return framed(pair.new('\\beginexercises',
    '<section class="exercises"><p class="head">Exercises</p>'),
    blocks, '\\closeexercises', '</section>')
end

local function text_of(path)
  local file = io.open(path)
  local text = file and file:read 'a'   -- a directory opens, but has no text
  if file then file:close() end
  if not text then
    book.fault(book.here, 'the file %s cannot be read.', path)
  end
  return (text or ''):gsub('# expect: [^\n]*\n', '')     -- for the tests
end

-- The page has the whole sheet, to compute with it.
function box.frames.worked(div, blocks)
  local name = pair.text(div.attributes.sheet)
  local sheet = pair.text((text_of(div.attributes.sheet))).html
  return framed(pair.new(name:within('\\beginworked{%s}', '').tex,
    '<section class="worked" data-sheet="' .. sheet:gsub('\n', '&#10;')
    .. '"><p class="head">Worked example <code>' .. name.html .. '</code></p>'),
    blocks, '\\closeworked', '</section>')
end

function box.frames.wide(_, blocks)
  return framed(pair.new('\\beginwide', '<div class="wide">'),
                blocks, '\\closewide', '</div>')
end

function box.frames.references(_, blocks)
  return framed(pair.new('\\beginwide\\footnotesize', '<div class="wide references">'),
                blocks, '\\closewide', '</div>')
end

box.frames.operations = box.frames.wide        -- and its C is folded

------------------------------------------------------------------- verbatim

local function output_of(block, command)
  local output, status = program.run(command)
  if status ~= (tonumber(block.attributes.exit) or 0) then
    book.fault(book.here, '`%s` exits with %d: %s', command, status,
               output:match '[^\n]*')
  end
  return output
end

function box.run(block)
  local command = trimmed(block.text)
  return listing.screen(output_of(block, command), command)
end

function box.file(block)
  return listing.screen((text_of(trimmed(block.text))))
end

-- A sheet, and under it what is found on it.
function box.sheet(block)
  local command = 'ftx check ' .. trimmed(block.text)
  return listing.screen(text_of(trimmed(block.text)) .. '$ ' .. command .. '\n'
                        .. output_of(block, command))
end

return box
