// The service in one file of Go, as a reference: net/http, the first page in memory, and a writer
// goroutine with group commit. It has no bans, metrics, log, usage or saved quotas.
//
//	petstore-peer PORT DATABASE KEY_FILE PER_MINUTE PER_DAY ANONYMOUS_LIMIT
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	_ "github.com/mattn/go-sqlite3"
)

const (
	maxBody   = 64 * 1024
	batchSize = 1000
)

// limits are requests per minute and per UTC day.
type limits struct{ perMinute, perDay int64 }

// caller is an account, or a client address without a valid key, with its usage.
type caller struct {
	limits
	policy []string
	sync.Mutex
	minuteEndsAt        time.Time
	minuteUsed, dayUsed int64
	day                 int64
}

// window is the state of a limit after a request was counted or refused.
type window struct {
	limit, remaining int64
	resetIn          time.Duration
}

// newPet is a request body.
type newPet struct {
	Name       *string         `json:"name"`
	CategoryID json.RawMessage `json:"categoryId"`
	Status     *string         `json:"status"`
}

// creation is a row to be written; id receives its id, or 0 if it cannot be written.
type creation struct {
	name, status string
	categoryID   int64
	id           chan int64
}

type server struct {
	accounts  map[[sha256.Size]byte]*caller
	macs      sync.Pool
	anonymous limits
	addresses sync.Map
	page      []byte
	link      []string
	tag       []string
	creations chan creation
}

func main() {
	port, database, keyFile := os.Args[1], os.Args[2], os.Args[3]
	own := limits{number(os.Args[4]), number(os.Args[5])}
	anonymous := number(os.Args[6])
	secret := make([]byte, 32)
	must(rand.Read(secret))
	s := &server{
		accounts:  map[[sha256.Size]byte]*caller{},
		anonymous: limits{anonymous, anonymous},
		macs:      sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }},
		link:      []string{"<http://localhost:" + port + `/v1/pets?limit=20&after=20>; rel="next"`},
		creations: make(chan creation, 10000),
	}
	for _, key := range strings.Fields(string(must(os.ReadFile(keyFile)))) {
		s.accounts[s.digest(key)] = newCaller(own)
	}
	db := must(sql.Open("sqlite3", "file:"+database+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate"))
	s.page = firstPage(db)
	s.tag = []string{fmt.Sprintf(`W/"%x-%x"`, len(s.page), crc32.ChecksumIEEE(s.page))}
	go s.write(db)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, s))
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	header := w.Header()
	header["X-Request-Id"] = []string{requestID(r, now)}
	authorization := r.Header.Get("Authorization")
	account := s.authenticate(authorization)
	who := account
	if who == nil {
		who = s.address(r)
	}
	if !who.take(header, now) {
		fail(w, 429, "rate_limited", "Wait for the seconds in Retry-After.")
		return
	}
	switch {
	case account == nil && authorization == "":
		header["Www-Authenticate"] = missingKey
		fail(w, 401, "missing_api_key", "Send \"Authorization: Bearer <API_KEY>\".")
	case account == nil:
		header["Www-Authenticate"] = invalidKey
		fail(w, 401, "invalid_api_key", "This API key is unknown. Create a new one.")
	case r.URL.Path != "/v1/pets":
		fail(w, 404, "not_found", "Nothing is served at this path.")
	case r.Method == http.MethodPost:
		s.create(w, r)
	default:
		header["Link"] = s.link
		header["Etag"] = s.tag
		header["Cache-Control"] = noCache
		send(w, 200, s.page)
	}
}

func (s *server) authenticate(authorization string) *caller {
	if len(authorization) < 8 || !strings.EqualFold(authorization[:7], "Bearer ") {
		return nil
	}
	return s.accounts[s.digest(authorization[7:])]
}

func (s *server) digest(key string) (sum [sha256.Size]byte) {
	mac := s.macs.Get().(hash.Hash)
	mac.Reset()
	io.WriteString(mac, key)
	mac.Sum(sum[:0])
	s.macs.Put(mac)
	return sum
}

func (s *server) address(r *http.Request) *caller {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if known, ok := s.addresses.Load(host); ok {
		return known.(*caller)
	}
	known, _ := s.addresses.LoadOrStore(host, newCaller(s.anonymous))
	return known.(*caller)
}

func newCaller(own limits) *caller {
	policy := fmt.Sprintf(`"minute";q=%d;w=60, "day";q=%d;w=86400`, own.perMinute, own.perDay)
	return &caller{limits: own, policy: []string{policy}}
}

// take counts one request in both windows, or in neither, and writes the rate-limit headers.
func (c *caller) take(header http.Header, now time.Time) bool {
	c.Lock()
	defer c.Unlock()
	today := now.Unix() / 86400
	if c.day != today && c.day != today+1 {
		c.day, c.dayUsed = today, 0
	}
	if c.minuteUsed == 0 || !now.Before(c.minuteEndsAt) {
		c.minuteEndsAt, c.minuteUsed = now.Add(time.Minute), 0
	}
	admitted := c.minuteUsed < c.perMinute && c.dayUsed < c.perDay
	if admitted {
		c.minuteUsed++
		c.dayUsed++
	}
	minute := window{c.perMinute, c.perMinute - c.minuteUsed, c.minuteEndsAt.Sub(now)}
	untilMidnight := time.Unix((c.day+1)*86400, 0).Sub(now)
	utcDay := window{c.perDay, c.perDay - c.dayUsed, untilMidnight}
	shown := minute
	bothExhausted := !admitted && minute.remaining == 0 && utcDay.remaining == 0
	if bothExhausted && utcDay.resetIn > minute.resetIn || !bothExhausted && utcDay.remaining < minute.remaining {
		shown = utcDay
	}
	header["Ratelimit-Policy"] = c.policy
	header["Ratelimit"] = []string{current(minute, utcDay)}
	header["X-Ratelimit-Limit"] = []string{strconv.FormatInt(shown.limit, 10)}
	header["X-Ratelimit-Remaining"] = []string{strconv.FormatInt(shown.remaining, 10)}
	reset := now.Add(shown.resetIn).Add(time.Second - 1).Unix()
	header["X-Ratelimit-Reset"] = []string{strconv.FormatInt(reset, 10)}
	if !admitted {
		header["Retry-After"] = []string{strconv.FormatInt(max(1, seconds(shown.resetIn)), 10)}
	}
	return admitted
}

func current(minute, utcDay window) string {
	text := append(make([]byte, 0, 64), `"minute";r=`...)
	text = strconv.AppendInt(text, minute.remaining, 10)
	text = strconv.AppendInt(append(text, ";t="...), seconds(minute.resetIn), 10)
	text = strconv.AppendInt(append(text, `, "day";r=`...), utcDay.remaining, 10)
	return string(strconv.AppendInt(append(text, ";t="...), seconds(utcDay.resetIn), 10))
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), "application/json") {
		fail(w, 400, "unsupported_content_type", "Send \"Content-Type: application/json\".")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var sent newPet
	var syntax *json.SyntaxError
	if err == nil {
		err = json.Unmarshal(body, &sent)
	}
	if errors.As(err, &syntax) || !utf8.Valid(body) {
		fail(w, 400, "invalid_json", "The body is not valid JSON.")
		return
	}
	categoryID, notInteger := strconv.ParseInt(string(sent.CategoryID), 10, 64)
	if err != nil || notInteger != nil || !isName(sent.Name) || !isStatus(sent.Status) {
		fail(w, 400, "invalid_body", "The body is not a new pet.")
		return
	}
	pet := creation{*sent.Name, "available", categoryID, make(chan int64, 1)}
	if sent.Status != nil {
		pet.status = *sent.Status
	}
	s.creations <- pet
	id := <-pet.id
	if id == 0 {
		fail(w, 503, "unavailable", "The pet cannot be written just now.")
		return
	}
	send(w, 201, appendPet(nil, id, pet.name, pet.categoryID, pet.status))
}

// write commits all waiting creations in one transaction; meanwhile the next ones queue up.
func (s *server) write(db *sql.DB) {
	for first := range s.creations {
		batch := []creation{first}
		for len(batch) < batchSize && len(s.creations) > 0 {
			batch = append(batch, <-s.creations)
		}
		ids := make([]int64, len(batch))
		if err := insert(db, batch, ids); err != nil {
			log.Print(err)
			clear(ids)
		}
		for index, each := range batch {
			each.id <- ids[index]
		}
	}
}

func insert(db *sql.DB, batch []creation, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	statement, err := tx.Prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	for index, each := range batch {
		result, err := statement.Exec(each.name, each.categoryID, each.status)
		if err != nil {
			return err
		}
		ids[index] = must(result.LastInsertId())
	}
	return tx.Commit()
}

func firstPage(db *sql.DB) []byte {
	rows := must(db.Query("SELECT id, name, category_id, status FROM pets ORDER BY id LIMIT 20"))
	defer rows.Close()
	page := []byte("[")
	for rows.Next() {
		var id, categoryID int64
		var name, status string
		if err := rows.Scan(&id, &name, &categoryID, &status); err != nil {
			log.Fatal(err)
		}
		if len(page) > 1 {
			page = append(page, ',')
		}
		page = appendPet(page, id, name, categoryID, status)
	}
	return append(page, ']')
}

func appendPet(text []byte, id int64, name string, categoryID int64, status string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	encoder.Encode(name)
	text = strconv.AppendInt(append(text, `{"id":`...), id, 10)
	text = append(append(text, `,"name":`...), bytes.TrimSpace(quoted.Bytes())...)
	text = strconv.AppendInt(append(text, `,"categoryId":`...), categoryID, 10)
	return append(append(append(text, `,"status":"`...), status...), `"}`...)
}

func isName(name *string) bool {
	if name == nil || strings.TrimSpace(*name) == "" || utf8.RuneCountInString(*name) > 255 {
		return false
	}
	return !strings.ContainsFunc(*name, unicode.IsControl)
}

func isStatus(status *string) bool {
	return status == nil || *status == "available" || *status == "pending" || *status == "sold"
}

var (
	missingKey  = []string{`Bearer realm="petstore"`}
	invalidKey  = []string{`Bearer realm="petstore", error="invalid_token"`}
	contentType = []string{"application/json"}
	noStore     = []string{"no-store"}
	noCache     = []string{"private, no-cache"}
	vary        = []string{"Accept-Encoding"}
	noSniff     = []string{"nosniff"}
)

func fail(w http.ResponseWriter, status int, code, message string) {
	send(w, status, fmt.Appendf(nil, `{"code":%q,"message":%q,"status":%d}`, code, message, status))
}

func send(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header["Content-Type"] = contentType
	if header["Cache-Control"] == nil {
		header["Cache-Control"] = noStore
	}
	header["Vary"] = vary
	header["X-Content-Type-Options"] = noSniff
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body)
}

// requestID is the client's own id, or a new UUIDv7 (RFC 9562).
func requestID(r *http.Request, now time.Time) string {
	if sent := r.Header.Get("X-Request-Id"); sent != "" {
		return sent
	}
	var id [16]byte
	rand.Read(id[6:])
	binary.BigEndian.PutUint64(id[:8], uint64(now.UnixMilli())<<16|uint64(id[6])<<8|uint64(id[7]))
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	digits := hex.EncodeToString(id[:])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// seconds returns whole seconds, rounded up.
func seconds(duration time.Duration) int64 {
	return int64((duration + time.Second - 1) / time.Second)
}

func number(text string) int64 {
	return must(strconv.ParseInt(text, 10, 64))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
