-- reference.lua: equations by their number, and signs by their explanation.

local book = require 'book'

local reference = {}

-- The number of an equation, if that is all that a paragraph holds.
function reference.equation(block)
  local alone = block.t == 'Para' and #block.content == 1 and block.content[1]
  return alone and alone.t == 'Math' and alone.mathtype == 'DisplayMath'
    and alone.text:match '\\qquad%s*%((%d+)%)%s*$'
end

-- Where equation n is displayed: here, or in the book beside this one.
local function target(n)
  local id = 'equation-' .. n
  if book.labels[id] then return '#' .. id end
  return book.beside[id] and book.beside_page .. '#' .. id
end

local CALLED = { equation = true, Equation = true, Equations = true,
                 ['eq.'] = true, see = true }

local missing = {}                      -- numbers of equations: told once

-- "equation (4)" and "see (4)" lead to the display of that number. A part of a
-- book, such as a handout, may not have it.
local function lead(inlines, short)
  for i = 3, #inlines do
    local before, n, after = (inlines[i].text or ''):match '^(%()(%d+)(%).*)$'
    if n and inlines[i].t == 'Str' and CALLED[inlines[i - 2].text or ''] then
      local place = target(n)
      if place then
        inlines[i] = pandoc.Span {
          pandoc.Link('(' .. n .. ')', place), pandoc.Str(after:sub(2)) }
      elseif not short and not missing[n] then
        missing[n] = true
        book.fault(1, 'equation (%s) is referred to, and displayed nowhere.', n)
      end
    end
  end
  return inlines
end

local function untouched(x) return x, false end

function reference.link(doc)
  return doc:walk { traverse = 'topdown', Header = untouched, Link = untouched,
                    Inlines = function(x) return lead(x, doc.meta.short) end }
end

-- A sign that is not in every textbook is explained before it is used, where
-- a book explains its signs at all.
local SIGNS = { '\\mathbf 1', '[\\![', '\\odot', '\\Delta', '\\neg',
                '\\forall', '\\equiv', ';' }

function reference.check_signs(blocks)
  local explained, early = false, {}
  local function note(m)
    for _, sign in ipairs(SIGNS) do
      if not explained and m.text:find(sign, 1, true) then early[sign] = true end
    end
  end
  for _, b in ipairs(blocks) do
    if b.t == 'Div' and b.classes:includes 'signs' then explained = true end
    b:walk { Math = note }
  end
  for _, sign in ipairs(explained and SIGNS or {}) do
    if early[sign] then
      book.fault(1, 'the sign %s is used before the table that explains it.', sign)
    end
  end
end

return reference
