-- notation.lua: which names are vectors and matrices, and so bold.
--
-- A name is a letter with its accent and its index: \tilde{v}, b_q.  One that
-- ends in _ has any index.  The longer name counts before the shorter: \beta
-- is a vector, and \beta_1 a number of Adam.  What is not here is a token, a
-- number, a set or a function.  The paper's letters mean several things (E39);
-- what a name is in one section or chapter only stands behind its id.

local notation = {}

local EVERYWHERE = [[ W X \tilde{X} Z Q K S A Y P M B C I R \tilde{V} e \hat{e}
  b_ \gamma \beta \theta -\beta_1 -\beta_2 -\hat{P} -p_mask -e^ ]]

local IN = {
  alg3 = [[ q k_ v_ \tilde{v} ]], alg4 = [[ V ]], alg5 = [[ V ]], alg7 = [[ p a ]],
  alg13 = [[ d -d_ ]], alg14 = [[ p q ]], alg15 = [[ p q ]],
  sampling = [[ p q ]], step = [[ a d -d_ q s v \tilde{v} ]], trace = [[ q ]], options = [[ p q -K ]],
  operations = [[ b p a g m v y ]], conventions = [[ V ]],
  ['matrices'] = [[ b g m v ]], ['sums-and-multiples'] = [[ g ]],
  ['down-the-columns'] = [[ m v ]], ['choosing-and-arranging'] = [[ y ]],
  classification = [[ -P ]],
  flow = [[ V ]], starts = [[ V ]],
  solutions = [[ q -q_ V p c e^ ]], ['errata-shapes'] = [[ q ]],
  ['errata-numerics'] = [[ p q ]], ['errata-content'] = [[ q ]],
  ['sums-in-lanes'] = [[ a b ]], unlisted = [[ q k_ v_ \tilde{v} p ]],
}

local function read(names, into)
  for sign, name in names:gmatch '(%-?)(%S+)' do into[name] = sign == '' end
  return into
end

local everywhere, here = read(EVERYWHERE, {}), {}
for id, names in pairs(IN) do here[id] = read(names, {}) end

-- The section and the chapter whose formulas are set now.
local places = {}

function notation.enter(level, id)
  places[level] = id
  for k = level + 1, 6 do places[k] = nil end
end

function notation.place() return (places[1] or '') .. ' ' .. (places[2] or '') .. ' ' end

local function says(name)
  for level = 6, 1, -1 do
    local names = here[places[level]]
    if names and names[name] ~= nil then return names[name] end
  end
  return everywhere[name]
end

-- Is a letter with this accent and this index, in this place, an array?
-- What follows it decides of e: e^x is the number.
function notation.is_array(letter, accent, index, follows)
  local names = {}
  local function try(name)
    if index ~= '' then
      table.insert(names, name .. '_' .. index)
      table.insert(names, name .. '_')
    end
    if follows then table.insert(names, name .. follows) end
    table.insert(names, name)
  end
  if accent then try('\\' .. accent .. '{' .. letter .. '}') end
  try(letter)
  for _, name in ipairs(names) do
    local answer = says(name)
    if answer ~= nil then return answer end
  end
  return false
end

return notation
