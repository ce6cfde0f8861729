-- The requests of wrk and the checks of replies. Arguments, by name:
--   kind=… keys=FILE base=PATH first=N pets=N seed=N turn=N pause=MS accept=CODINGS status=N body=FILE
-- With `status`, every reply is parsed and compared. Without it, replies are only counted, so that a
-- measured run costs the load generator the same for every contestant.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function read_lines(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

local function read_all(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

local options = {}
local keys = {}
local turn = 0
local authorize

local function next_key()
  turn = turn % #keys + 1
  return keys[turn]
end

local function authorized()
  return authorize .. next_key() .. '\r\n\r\n'
end

local function anonymous()
  return ' HTTP/1.1\r\nHost: ' .. options.host .. '\r\n\r\n'
end

local function get(path)
  return 'GET ' .. options.base .. path .. options.finish()
end

-- Clients that page through the store, each from its own position.
local WALKERS = 64
local positions = {}
local walker = 0

local function walk()
  walker = walker % WALKERS + 1
  local after = positions[walker]
  if not after or after > options.pets - 20 then
    after = math.random(0, options.pets - 20)
  end
  positions[walker] = after + 20
  return get('/pets?limit=20&after=' .. after)
end

local STATUSES = { 'available', 'pending', 'sold' }
local choice = 0

local function by_status()
  choice = choice % 3 + 1
  return get('/pets?status=' .. STATUSES[choice])
end

local function one()
  return get('/pets/' .. math.random(1, options.pets))
end

local created = 0

local function send(method, path, body, headers)
  return method .. ' ' .. options.base .. path .. ' HTTP/1.1\r\nHost: ' .. options.host
    .. '\r\nContent-Type: application/json\r\nContent-Length: ' .. #body
    .. (headers or '') .. '\r\nAuthorization: Bearer ' .. next_key() .. '\r\n\r\n' .. body
end

-- With `named`, the request has an Idempotency-Key.
local function create(status, named)
  created = created + 1
  local name = named and '\r\nIdempotency-Key: ' .. options.seed .. '-' .. created
  local body = '{"name":"Newcomer ' .. created .. '","categoryId":7,"status":"' .. status .. '"}'
  return send('POST', '/pets', body, name)
end

local function update()
  created = created + 1
  local id = math.random(options.first or 1, options.pets)
  return send('PATCH', '/pets/' .. id, '{"name":"Renamed ' .. created .. '"}')
end

-- Each animal once, from the first on.
local function order()
  created = created + 1
  local id = options.first + created - 1
  return send('POST', '/store/orders', string.format('{"petId":%d}', id))
end

local function list()
  return get('/pets')
end

local function create_pending() return create('pending') end

-- One of ten requests creates a pet; the others cover all reads.
local MIX = { list, by_status, walk, one, list, create_pending, by_status, walk, one, list }
local step = 0

local function mixed()
  step = step % #MIX + 1
  return MIX[step]()
end

local REQUESTS = {
  ['list-20'] = list,
  ['list-20-status'] = by_status,
  ['list-100'] = function() return get('/pets?limit=100') end,
  walk = walk,
  get = one,
  create = create_pending,
  ['create-keyed'] = function() return create('pending', true) end,
  ['create-available'] = function() return create('available') end,
  update = update,
  order = order,
  mixed = mixed,
}

local PAGE = { '^%[{"id":%d+,"name":"', '"}%]$' }
local PET = { '^{"id":%d+,"name":"', '"}$' }
local SHAPES = { walk = PAGE, ['list-20-status'] = PAGE, get = PET, create = PET, ['create-keyed'] = PET }

local function is_right(body)
  if options.expected then return body == options.expected end
  if options.status >= 400 then
    return body:match('^{"code":"[a-z_]+","message":".+","status":' .. options.status .. '}$')
  end
  local shape = SHAPES[options.kind]
  return not shape or (body:match(shape[1]) and body:match(shape[2]))
end

-- Global, because wrk reads them from each thread at the end.
wrong = 0
sample = ''

local function check(status, _, body)
  if status == options.status and is_right(body) then return end
  wrong = wrong + 1
  if sample == '' then sample = status .. ' ' .. body:sub(1, 200) end
end

function init(args)
  for _, argument in ipairs(args) do
    local name, value = argument:match('^(%w+)=(.*)$')
    if name then options[name] = value end
  end
  options.host = wrk.headers.Host or (wrk.host .. ':' .. wrk.port)
  options.pets = tonumber(options.pets)
  local accept = options.accept and '\r\nAccept-Encoding: ' .. options.accept or ''
  authorize = ' HTTP/1.1\r\nHost: ' .. options.host .. accept .. '\r\nAuthorization: Bearer '
  options.finish = options.keys and authorized or anonymous
  math.randomseed(tonumber(options.seed))
  if options.keys then
    keys = read_lines(options.keys)
    -- A random start, because a short run would never reach the last of many keys.
    turn = tonumber(options.turn) or math.random(0, #keys - 1)
  end
  request = REQUESTS[options.kind]
  if options.status then
    options.status = tonumber(options.status)
    if options.body then options.expected = read_all(options.body) end
    response = check
  end
  if options.pause then
    local pause = tonumber(options.pause)
    -- wrk accepts whole milliseconds only; the fraction is spread over the requests.
    delay = function() return math.floor(pause + math.random()) end
  end
end

function done(summary, latency)
  local wrong_replies = 0
  local first = ''
  for _, thread in ipairs(threads) do
    wrong_replies = wrong_replies + thread:get('wrong')
    if first == '' then first = thread:get('sample') end
  end
  local errors = summary.errors
  io.write(string.format(
    '\nresult requests=%d micros=%d bytes=%d p50=%d p99=%d refused=%d broken=%d wrong=%d sample=%s\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, wrong_replies,
    (first:gsub('%s+', ' '))))
end
