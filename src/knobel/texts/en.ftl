# Every sentence that people read, in English. Keys are the same in every catalog.

app-tagline = Roll, write, puzzle.

# --- Browser: header, dialogs, settings ---

ui-home = To the front page
ui-close = Close
ui-yes = yes
ui-no = no
ui-language-switch = Language: English. Switch to German
ui-language-short = EN
ui-help = Help on keys
ui-menu = Settings
ui-rules = Rules of this table
ui-name-with-seat = { $name } ({ $number })
ui-box-in-column = { $box }, column { $column }
ui-option-value = { $option }: { $value }
ui-list-and = { $first } and { $second }

ui-settings = Settings
ui-settings-note = For this device, not for the game.
ui-settings-marks = A marked die …
ui-settings-marks-keep = stays
ui-settings-marks-again = is thrown again
ui-settings-clicks = Writing takes …
ui-settings-clicks-1 = one click
ui-settings-clicks-2 = two clicks: preview, then write
ui-settings-pace = Computers play …
ui-settings-pace-slow = leisurely
ui-settings-pace-normal = normally
ui-settings-pace-fast = briskly
ui-settings-pace-off = at once
ui-settings-theme = Light
ui-settings-theme-auto = as on the device
ui-settings-theme-light = day
ui-settings-theme-dark = lamp
ui-settings-language = Language
ui-settings-language-auto = as in the browser
ui-settings-language-de = Deutsch
ui-settings-language-en = English

ui-keys = Keys
ui-keys-dice = mark dice 1 to { $dice }
ui-keys-throw = throw, or cut short what computers do
ui-keys-enter = write the preview, else throw
ui-keys-arrows = from box to box on the pad
ui-keys-escape = take back preview and marks
ui-keys-help = this help
ui-key-digits = 1–{ $dice }
ui-key-space = Space
ui-key-enter = Enter
ui-key-arrows = Arrows
ui-key-escape = Esc
ui-key-help = ?

# --- Browser: setting up a table ---

ui-setup = Lay the table
ui-setup-lead = Pick a pad, seat everyone, and go.
ui-setup-pads = Which pad?
ui-setup-options = Which rules?
ui-setup-more-changed = { $count ->
    [0] More rules
    [one] More rules, one changed
   *[other] More rules, { $count } changed
  }
ui-setup-no-options = This pad is played as it is printed.
ui-setup-standard = standard
ui-setup-reset = Everything back to standard
ui-setup-needs = Only with { $needs }.
ui-setup-need = { $option }: { $values }
ui-setup-or = { $first } or { $second }
ui-list-order = an order of your own
    .help = Put the boxes in the order in which they are played.
ui-list-tiebreak = compare boxes
    .help = With the same total, the first box of this list decides, then the next.
ui-setup-numbers = Factor { $number }
ui-setup-move-up = Move { $name } up
ui-setup-move-down = Move { $name } down
ui-setup-loading = The pads are coming …
ui-pad-facts = { $dice } dice, { $boxes } boxes
ui-pad-bonus = bonus { $bonus } from { $threshold }
ui-pad-saved = saved throws
ui-pad-extra = +{ $points } for each further five alike

ui-seats = Who plays?
ui-seat-name = Name on seat { $number }
ui-seat-kind = { $name } is a
ui-seat-person = Person
ui-seat-computer = Computer
ui-seat-remove = Take { $name } from the table
ui-seat-add-person = Add a person
ui-seat-add-computer = Add a computer
ui-seat-full = No more than { $most } fit at the table.
ui-seat-guest = Guest { $number }
ui-seat-machine = { $number ->
    [1] Computer
   *[other] Computer { $number }
  }
ui-begin = Who begins?
ui-begin-seat = Seat 1
ui-begin-rotate = in turn, the next one each game
ui-begin-random = by lot
ui-begin-highest-throw = the highest throw
ui-start = Start
ui-starting = Laying the table …

ui-tables = Games under way
ui-tables-older = Older games under way
ui-tables-over = Finished games
ui-tables-none = No game on this machine yet.
ui-table-resume = Play on
ui-table-look = Look at it

# --- Browser: the tray ---

ui-tray = Dice tray
ui-turn-throws = { $name } throws
ui-turn-to-throw = { $name } is next
ui-turn-enters = { $name } writes
ui-throw-number = throw { $throw }
ui-throw-before = before throw 1
ui-stays = stays
ui-again = again
ui-die = Die { $number }: { $value }
ui-die-empty = Die { $number }, not thrown yet
ui-throw-first = Throw
ui-throw-all = Throw all again
ui-throw-some = { $count ->
    [one] Throw one die again
   *[other] Throw { $count } dice again
  }
ui-throw-none = Mark dice or choose a box
ui-throw-none-kept = Choose a box or free a die
ui-choose-box = Choose a box
ui-write-preview = Write: { $box } { $points }
ui-skip = Cut it short
ui-watching = { $name } is thinking …
ui-throws-left = { $left ->
    [0] no throw left
    [one] one throw left
   *[other] { $left } throws left
  }
ui-throws-left-saved = { $left ->
    [one] one throw left
   *[other] { $left } throws left
  }, { $saved } of them saved
ui-saved-chip = +{ $saved }
ui-hint-first = Space or the button: all dice fly.
ui-hint-again = Marked dice fly once more.
ui-hint-again-none = Mark what shall fly once more.
ui-hint-keep = Marked dice stay where they are.
ui-hint-keep-all = All dice stay: write them down or free one.
ui-hint-enter = That is your roll. Write it in a free box.
ui-hint-preview = One more click or Enter writes it.
ui-hint-computer = Space cuts it short.

# --- Browser: the pad ---

ui-pad = Pad
ui-pad-tabs = Pads
ui-pad-tab = { $name }, { $total } points
ui-box-free = { $box }: { $points ->
    [one] 1 point
   *[other] { $points } points
  }
ui-box-free-bonus = { $box }: { $points ->
    [one] 1 point
   *[other] { $points } points
  } and { $bonus } bonus
ui-box-struck = struck
ui-box-barred = not possible
ui-column = Column { $column }
ui-column-times = × { $multiplier }
ui-upper = Upper
ui-lower = Lower
ui-total = Total
ui-column-total = Column
ui-bonus = Bonus
ui-bonus-terms = { $bonus } from { $threshold }
ui-bonus-lost = Bonus out of reach
ui-bonus-lost-short = out of reach
ui-bonus-reached-later = Bonus reached, comes in the settlement
ui-balance = Balance
ui-balance-ahead = { $points } above par
ui-balance-behind = { $points } below par
ui-balance-even = exactly at par
ui-tokens = Tokens
ui-tokens-terms = { $points } each
ui-tokens-count = { $count ->
    [one] one token
   *[other] { $count } tokens
  }
ui-at-end-note = Bonus and tokens are added in the settlement.
ui-last-entry = written last

ui-strike-title = Strike { $box }?
ui-strike-text = The roll brings nothing here. { $best } would bring { $points ->
    [one] 1 point
   *[other] { $points } points
  }.
ui-strike-yes = Strike it
ui-strike-no = Another box

# --- Browser: what happened ---

ui-recent = Just now
ui-recent-none = Nothing written yet.
ui-wrote = writes { $box }
ui-struck = strikes { $box }
ui-said-begin = { $name } begins.
ui-said-begin-thrown = { $name } begins with the highest throw: { $dice }.
ui-said-throw = { $name } throws { $dice }.
ui-said-enter = { $name } writes { $box }: { $points }.
ui-said-enter-bonus = { $name } writes { $box }: { $points } and { $bonus } bonus.
ui-said-strike = { $name } strikes { $box }.
ui-said-over = The game is over.

# --- Browser: settlement ---

ui-settlement = Settlement
ui-winner = { $name } wins
ui-winner-alone = Done: { $points } points
ui-winners = { $names }: { $count ->
    [2] both first
   *[other] all { $count } first
  }
ui-rank = Rank
ui-rank-number = { $rank }.
ui-player = Name
ui-new-game = New game, same round
ui-to-setup = Another table

# --- Browser: rules of the table ---

ui-rules-as-printed = Played as the pad is printed.
ui-rules-differences = Other than printed
ui-rules-facts = In short
ui-rules-dice = Dice
ui-rules-throws = Throws in a turn
ui-rules-saved = Saved throws
ui-rules-saved-yes = What is left is saved
ui-rules-saved-no = What is left lapses
ui-rules-bonus = Upper bonus
ui-rules-extra = Further fives of a kind
ui-rules-extra-points = { $points } points each
ui-rules-none = none
ui-rules-columns = Columns
ui-rules-order = Order
ui-rules-order-free = free
ui-rules-rows = What the boxes count
ui-rules-digest = Mark
ui-rules-throws-chip = { $throws } throws

# --- Browser: connection and problems ---

ui-link-connecting = Connecting …
ui-link-waiting = The connection is gone. { $seconds ->
    [one] Trying again in one second.
   *[other] Trying again in { $seconds } seconds.
  }
ui-link-retry = Try now
ui-link-protocol = This page is older than the program. Please load it anew.
ui-reload = Load anew
ui-unreachable = The program does not answer. Is it still running?
ui-broken-answer = The answer could not be read.
ui-problem = That did not work ({ $code }).

# --- Why this number, and what to do: reasons of the rules core ---

how-all = all dice
how-matched = matching dice
how-number = { $points }
duty-throw = throw
duty-throw-or-enter = throw again or enter
duty-enter = enter
why-rule-all = The pattern is there: all dice count, { $points }.
why-rule-matched = Only the matching dice count: { $points }.
why-rule-number = The pattern is there: a flat { $points } points.
why-no-match = The roll does not fit { $category }.
why-joker-value = Joker: it counts { $points } here.
why-joker-forced-upper = Joker: this five of a kind must go to { $box }.
why-joker-forced-lower = Joker: a free lower box comes first.
why-joker-zero = Joker: the lower half is full, so only a strike in the upper half is left.
why-order = Fixed order: { $box } comes next.
why-extra-five = Further five of a kind: { $points } on top.

# --- Options (RULES 8.4): name, value in a word or two, .help spells out the difference ---

option-joker = Joker
    .help = What happens to a further five of a kind once its own box is filled.
option-joker-none = none
    .help = A further five of a kind counts just what it shows. Full house and straights bring 0 with it.
option-joker-forced = prescribed
    .help = It must go to the upper box of its number. If that is full, it counts anywhere below: full house 25, straights 30 and 40.
option-joker-free = free choice
    .help = Any free box will do. Full house and straights count in full once the upper box of its number is filled.
option-extra-five = Further fives of a kind
    .help = When a further five of a kind brings extra points.
option-extra-five-box-has-50 = while the box holds 50
    .help = Extra points only while the five-of-a-kind box holds 50, not after a strike.
option-extra-five-any-after-first = every one after the first
    .help = Every five of a kind after the first counts, wherever it is entered.
option-extra-five-box-filled = once the box is filled
    .help = Extra points once the five-of-a-kind box is filled, even after a strike.
option-extra-five-none = nothing extra
    .help = A further five of a kind brings no extra points.
option-extra-five-points = Points for each further five of a kind
    .help = Credited on top of the box; they do not count for the upper bonus.
option-five-equal-full-house = Five alike as a full house
    .help = Five alike may also be written as a full house.
option-four-equal-two-pairs = Four alike as two pairs
    .help = Four alike also count as two pairs. Otherwise the pairs must differ.
option-upper-bonus = Upper bonus
    .help = Points for a good upper half.
option-upper-threshold = Threshold of the bonus
    .help = The upper half needs so many points for the bonus.
option-bonus-shown = Bonus visible
    .help = When bonus and tokens join the running total. It does not change the result.
option-bonus-shown-at-once = at once
    .help = Bonus and extra points are in the total as soon as they are earned.
option-bonus-shown-at-end = only at the end
    .help = The running total shows the boxes only. Bonus and tokens come in the settlement.
option-full-straight-points = Points of the full straight
    .help = 21 is the sum from 1 to 6, 30 a round number.
option-saved-throws = Save throws
    .help = Unused throws stay for later turns. Otherwise they lapse.
option-columns = Columns
    .help = How many columns each pad has.
option-columns-1 = one
    .help = Each box is there once.
option-columns-3 = three
    .help = Triple pad: each box is there three times, and the game takes three times as long.
option-multipliers = Factors of the columns
    .help = What each column is multiplied by, its bonus included.
option-triple-bonus-when = Extra points on the triple pad
    .help = When further fives of a kind bring extra points on the triple pad.
option-triple-bonus-when-all-50 = all three hold 50
    .help = Only once the five-of-a-kind boxes of all three columns hold 50.
option-triple-bonus-when-any-50 = one 50 will do
    .help = As soon as the five-of-a-kind box of one column holds 50.
option-triple-bonus-multiplied = Multiply extra points
    .help = Extra points are multiplied by the factor of the column the roll is entered in.
option-order = Order
    .help = Whether you choose the box or the pad does.
option-order-free = free
    .help = Any roll may go to any free box.
option-order-down = top to bottom
    .help = The pad names the box, row by row. You decide on the throws only.
option-order-up = bottom to top
    .help = Like top to bottom, the other way round.
option-order-lower-first = lower half first
    .help = First the lower half, then the upper half.
option-order-random = drawn by lot
    .help = An order drawn by lot, the same for everyone.
option-order-seed = Number of the lot
    .help = The same number gives the same order.
option-order-scope = Order in three columns
    .help = How the order runs through the columns.
option-order-scope-column-major = column by column
    .help = All of the first column, then the second, then the third.
option-order-scope-per-column = free column
    .help = You choose the column; in it the next box is given.
option-order-scope-row-major = row by row
    .help = Each row through all columns, then the next row.
option-tiebreak = At a tie
    .help = Who is ahead with the same total.
option-tiebreak-shared = shared rank
    .help = Those with the same total share the rank.

# --- Rules core: rulesets and options that cannot be used ---

unknown-ruleset = There is no such ruleset. Known are { $values }, or the path of a TOML file.
file-not-found = There is no such file.
file-unreadable = The file cannot be read ({ $problem }).
file-too-large = The file is too large; { $most } bytes are allowed.
not-utf8 = The file is no text in UTF-8.
not-toml = This is no valid TOML: { $problem }.
base-too-deep = At most { $most } rulesets may build on one another.
expected-base = Expected the id of a ruleset or the path of a TOML file beside this one, not { $found }.
expected-key = This key is missing.
unknown-key = There is no such key here. Possible are { $values }.
expected-table = Expected a table of keys, not { $found }.
expected-list = Expected a list of { $low } to { $high } items, not { $found }.
expected-whole = Expected a whole number from { $low } to { $high }, not { $found }.
expected-switch = Expected true or false, not { $found }.
expected-one-of = Expected one of { $values }, not { $found }.
expected-ruleset-id = Expected an id of at most { $most } lower-case letters, digits and hyphens, not { $found }.
expected-box-id = Expected an id of at most { $most } lower-case letters, digits and underscores, not { $found }.
expected-label = Expected a name of at most { $most } printable characters, not { $found }.
expected-text = Expected a text, not { $found }.
expected-every-box-once = The order must name every box exactly once ({ $values }), not { $found }.
expected-field = This must be the place of a whole number in the ruleset, such as "upper.bonus"; { $found } is none.
expected-patches = An option of your own needs "field", or a table of changes for each of its values.
upper-needs-face = An upper box has exactly one rule, and that one counts a face.
joker-in-upper = Only lower boxes have a joker value.
one-pattern = A rule has one pattern only, and { $first } is there already.
pattern-impossible = { $dice } dice cannot show this pattern.
matched-needs-pattern = "matched" counts the dice of a pattern: it needs face, groups or sets.
exact-needs-pattern = "exact" goes with groups or sets only.
named-twice = { $found } is there twice.
needs-all-equal = For this, all_equal must name the box for all dice alike.
needs-upper-section = An upper bonus needs upper boxes.
option-not-admitted = There is no option { $option } here. Possible are { $values }.
option-needs = { $option } works only together with { $needs } = { $values }.

# --- Rules core: dice, boxes, actions ---

expected-dice = Expected { $dice } faces from 1 to 6, not { $found }.
faces-expected = Expected faces from 1 to 6 such as 335, or - for none, not { $found }.
expected-seat = There is no seat { $found }: there are { $players }, counted from 0.
unknown-box = There is no box { $found } on this pad.
action-expected = Expected an action such as "keep 335" or "enter full_house", not { $found }.
box-expected = Expected a box such as full_house or full_house/2, not { $found }.
roll-expected = { $action } is a throw: it needs the { $dice } dice that lie there afterwards.
roll-not-expected = { $action } is no throw: no new dice lie there afterwards.
roll-impossible = After { $action } the dice cannot be { $found }.
game-over = The game is over; { $action } is no longer possible.
first-throw-keeps-nothing = The first throw takes all dice: "keep -", not { $action }.
no-throw-left = There is no throw left for { $action }.
throw-nothing = { $action } leaves all dice on the table. At least one must be thrown.
keep-not-on-table = { $action } is not possible: { $roll } is on the table.
not-thrown = Throw first; then { $action } is possible.
box-filled = { $box } is filled already.
box-not-allowed = { $box } is not allowed with this roll now.
not-your-turn = It is not the turn of seat { $seat } but of seat { $turn } (counted from 0).

# --- Rules core: game records ---

record-too-long = The record is too long; { $most } lines are allowed.
record-line = No line can begin with { $found } here.
record-header = The header line { $name } cannot be read: { $found }.
record-header-missing = The header line { $name } is missing.
record-digest = The rules do not fit the digest { $found }; theirs is { $expected }.

# --- Where an error is, and what may have been meant ---

error-event = event { $event }
error-line = line { $line }
error-legal = Possible now: { $actions }.
error-suggestion = Did you mean { $suggestion }?

# --- Rules core: files of reference cases ---

not-json = This is no valid JSON: { $problem }.
cases-no-list = Expected a list of cases, not { $found }.
cases-no-tokens = { $ruleset } has no tokens for further fives of a kind.

# --- Command line ---

cli-help = Dice-pad games: Kniffel and its relatives. Without a command a game begins in the browser.
cli-help-play = Play in the browser: starts the program and opens the browser.
cli-help-serve = Serve the game without opening the browser.
cli-help-rules = Look at rulesets, compare and check them.
cli-help-list = All rulesets, one a line.
cli-help-show = Show a ruleset: pad, points, bonus, options.
cli-help-diff = Show only in what two rulesets differ.
cli-help-cases = Check a file of reference cases; ends with 1 if one does not hold.
cli-help-id = Id of a ruleset or path of a TOML file.
cli-help-file = JSON file of reference cases.
cli-help-option = Set an option, such as -o joker=forced; lists with commas. As often as you like.
cli-help-left = An option for the first ruleset only.
cli-help-right = An option for the second ruleset only.
cli-help-json = Print JSON, for programs.
cli-help-lang = Language; otherwise that of the environment (LANG), otherwise English.
cli-help-port = Port on this machine; if it is busy, another one is taken.
cli-help-data = Folder of the stored games.
cli-help-no-browser = Do not open the browser.
cli-help-version = Tell the version.
cli-help-help = Show this help.
cli-arguments = Arguments
cli-options = Options
cli-commands = Commands
cli-port-busy = Port { $port } is busy, so another one.
cli-serving = Knobel is running: { $url } (Ctrl-C ends it)
cli-no-command = There is no command { $found }. Possible are { $values }.
cli-no-option = There is no option { $found } here.
cli-missing = { $name } is missing.
cli-bad-value = { $name } cannot be used: { $problem }
cli-usage = This call is not possible: { $problem }
cli-see-help = Help: { $command } --help
cli-option-form = An option is given as -o name=value, not { $found }.
cli-no-difference = No difference.
cli-options-title = Options (-o name=value)
cli-value-changed = { $value } (else { $default })
cli-values-number = a number
cli-values-numbers = three numbers with commas
cli-values-boxes = { $values } or boxes with commas
cli-column-name = Name
cli-column-box = Box
cli-column-pattern = What must show
cli-column-points = Points
cli-column-joker = as a joker
cli-column-option = Option
cli-column-meaning = Meaning
cli-column-value = Now
cli-column-values = Possible
cli-column-needs = Only with
cli-cases-skipped = skipped: { $name }, { $count }
cli-cases-failed = expected { $expected }, got { $got }
cli-fact-unused = Unused throws
cli-fact-unused-saved = are saved for later turns
cli-fact-unused-lapse = lapse
cli-fact-boxes = Boxes
cli-fact-upper = { $bonus } points once the upper boxes reach { $threshold }
cli-fact-extra = { $points } points each, { $when }
cli-fact-extra-upper = only in the upper box of its number
cli-fact-extra-multiplied = times the factor of the column
cli-fact-extra-plain = without the factor of the column
cli-fact-joker = as a joker { $points }
cli-fact-name = name of { $box }
cli-pattern-any = any roll
cli-pattern-face = dice showing { $face }
cli-pattern-groups = { $groups } alike
cli-pattern-total = sum { $total }
cli-pattern-exact = exactly { $pattern }

# --- The table and the server ---

table-over = The game is over.
table-not-your-seat = Seat { $seat } is played by somebody else (counted from 0).
table-stale = The table has moved on: it is at { $expected }, this was meant for { $found }.
table-places = There are no such dice: { $found }. The places are counted from 0; { $dice } dice lie on the table.
table-broken = The log of table { $table } is damaged at event { $event }: { $problem }
server-table-unknown = There is no such table.
server-overloaded = The server has too much to do; try again in a moment.
server-storage-full = The disk is full: nothing can be stored, so nothing was played. The game stays as it is until there is room.
server-storage-failed = Storing failed, so nothing was played. The game stays as it is; try again.
server-error = The server made a mistake; nothing was changed.
server-name-empty = This name shows nothing; a player needs a name that can be read.
server-message-not-json = This message is no JSON: { $problem }
server-message-too-deep = This message is nested more than { $most } deep.
server-message-invalid = This message cannot be used, at { $where }: { $problem }
server-message-binary = Messages are texts, not bytes.
server-hello-expected = The first message must be a hello.
server-hello-again = The hello has been said already.
server-protocol = This page speaks version { $found } of the protocol, the server { $expected }. Load the page again.
server-too-many = More than { $most } messages in { $seconds } seconds are too many.
server-not-found = There is nothing here.
server-method-not-allowed = That cannot be done here.
server-request-invalid = This request cannot be used, at { $where }: { $problem }
server-too-large = A request may have at most { $most } bytes.
server-foreign-host = This server does not go by that name.
server-foreign-origin = Requests from pages of other sites are refused.
server-no-pages = The pages of knobel have not been built. Start knobel with ./knobel, or install it again.
server-folder-in-use = Another knobel server is using the data folder { $path }.
server-folder-full = There is no room left in the data folder { $path }.
server-folder-unwritable = The data folder { $path } cannot be written: { $problem }
server-database-unusable = The database { $path } cannot be used: { $problem }
server-database-foreign = { $path } is not a database of knobel.
server-database-newer = The database { $path } was made by a newer knobel ({ $found }, this one knows { $expected }).
server-address-unusable = The server cannot listen at { $host }: { $problem }
server-no-free-port = All ports from { $first } to { $last } are busy.
