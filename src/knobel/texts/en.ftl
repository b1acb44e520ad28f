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
ui-setup-no-joker = The two jokers to choose belong to the classic pad.
ui-setup-standard = standard
ui-setup-reset = Everything back to standard
ui-setup-needs = Only with { $needs }.
ui-setup-need = { $option }: { $values }
ui-setup-or = { $first } or { $second }
ui-list-order = an order of your own
    .help = Put the boxes in the order in which they are played.
ui-list-tiebreak = compare boxes
    .help = With the same total, the first box of this list decides, then the next.
ui-setup-numbers = Column { $number }
ui-setup-a-number = a number
ui-setup-move-up = Move { $name } up
ui-setup-move-down = Move { $name } down
ui-setup-loading = The pads are coming …
ui-pad-facts = { $dice } dice, { $boxes } boxes
ui-pad-bonus = bonus { $bonus } from { $threshold }
ui-pad-saved = saved throws
ui-pad-extra = +{ $points } for each further five alike
ui-pad-columns = { $columns } columns
ui-pad-special = with special rounds

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
ui-throw-on = Throw on → { $count ->
    [one] column { $columns }
   *[other] columns { $columns }
  }
ui-throw-repeat = Repeat the throw
ui-throw-help = Throw for { $owner }
ui-choose-count = { $count } of { $dice } chosen
ui-choose-take = Take these { $dice }
ui-pick-box = Pick a box for everyone
ui-pick-preview = For everyone: { $box }
ui-turn-repeats = { $name } repeats the throw
ui-turn-helps = { $name } throws for { $owner }
ui-turn-chooses = { $name } chooses dice
ui-turn-picks = { $name } picks a box
ui-turn-for-box = { $name } throws for { $box }
ui-turn-for-box-enters = { $name } writes { $box }
ui-ladder = { $throw } of { $most } throws
ui-extra-throw = Extra throw × { $count }
ui-extra-throw-help = Extra throw: it is not counted, the columns stay open.
ui-extra-throw-none = You have not earned an extra throw yet.
ui-extra-throw-later = No extra throw just now.
ui-token-sign-wunder = [!ww!]
ui-token-left = { $token }: { $count ->
    [0] used
    [one] not used yet
   *[other] { $count } left
  }
ui-token-restart = { $token }: the roll is forgotten, without a strike.
ui-token-helpers = { $token }: all others throw as well, and you choose the finest dice.
ui-token-sure = One more click, and it counts.
ui-token-used = { $token } is used.
ui-token-first = { $token } needs a first throw.
ui-token-later = { $token } is not possible just now.
ui-pool = Dice to choose from
ui-pool-of = Dice of { $name }
ui-pool-die = { $name }, die { $number }: { $value }
ui-hint-help = Space or the button: your dice fly for { $owner }.
ui-hint-choose = Choose { $dice } dice: tap them, or use arrows and space.
ui-hint-choose-full = The button or Enter takes them.
ui-hint-pick = Everyone throws for the box that you pick.
ui-hint-pick-preview = One more click or Enter, and everyone throws for it.
ui-hint-repeat = The same dice fly once more.
ui-hint-or-enter = Or write it now: { $box } brings { $points }.
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
ui-column-throw = { $throw ->
    [1] throw 1
   *[other] to throw { $throw }
  }
ui-column-throw-short = { $throw ->
    [1] throw 1
   *[other] to { $throw }
  }
ui-column-special = special
ui-column-passed = over for this turn
ui-note-open = Throw { $throw }: { $count ->
    [0] no column is open any more.
    [one] only column { $columns } is open.
   *[other] columns { $columns } are open.
  }
ui-note-before = The first throw may go to any free column.
ui-circle-empty = extra throw not earned
ui-circle-earned = extra throw earned
ui-circle-spent = extra throw used
ui-no-strike = no strike?
ui-pick-name = Pick { $box } for everyone
ui-special-tab = Column { $column }, all
ui-special-card = Column { $column }
ui-special-card-text = A special round as soon as someone reaches { $threshold } in the upper half of a column. { $count ->
    [one] One box is still free.
   *[other] { $count } boxes are still free.
  }

# --- Browser: special rounds ---

ui-scene-special = Special round
ui-scene-closing = Last round
ui-scene-picks = Bonus for { $name }! A box is picked, and everyone throws for it.
ui-scene-box = Everyone throws for { $box }, { $throws ->
    [one] one throw
   *[other] { $throws } throws
  } each.
ui-scene-left = The pad is full. What is free in column { $column } is thrown now: { $box }.
ui-scene-next = Next: { $names }.
ui-scene-more = Then { $count ->
    [one] one more box.
   *[other] { $count } more boxes.
  }
ui-scene-last = Then the game goes on as usual.
ui-scene-end = Then comes the settlement.

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
ui-spent-restart = calls { $token }
ui-spent-helpers = asks all for help: { $token }
ui-chose = takes { $dice }
ui-picked = picks for everyone: { $box }
ui-helped = helps { $owner } with { $dice }
ui-extra-thrown = takes an extra throw: { $dice }
ui-said-begin = { $name } begins.
ui-said-begin-thrown = { $name } begins with the highest throw: { $dice }.
ui-said-throw = { $name } throws { $dice }.
ui-said-enter = { $name } writes { $box }: { $points }.
ui-said-enter-bonus = { $name } writes { $box }: { $points } and { $bonus } bonus.
ui-said-strike = { $name } strikes { $box }.
ui-said-spend-restart = { $name } calls { $token }.
ui-said-spend-helpers = { $name } asks all for help: { $token }.
ui-said-choose = { $name } takes { $dice }.
ui-said-pick = { $name } picks { $box } for everyone.
ui-said-help = { $name } throws for { $owner }: { $dice }.
ui-said-extra = { $name } takes an extra throw: { $dice }.
ui-said-turn = { $turn }.
ui-said-scene-special = Special round!
ui-said-scene-closing = Last round!
ui-said-scene-regular = The game goes on as usual.
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
ui-rules-tokens = Jokers
ui-rules-earned = Extra throws
ui-rules-earned-minima = { $boxes }: from { $minima }
ui-rules-special = Special round
ui-rules-special-throws = { $throws ->
    [one] one throw
   *[other] { $throws } throws
  }
ui-rules-no-strike = No strike in a column
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

# --- Browser: playing together at several devices ---

ui-cancel = Cancel
ui-copy = Copy
ui-copied = Copied
ui-share = Share …
ui-you = you
ui-host = host
ui-there = there
ui-away = away
ui-your-name = Your name
ui-your-turn = Your turn
ui-span-seconds = { $count ->
    [one] 1 second
   *[other] { $count } seconds
  }
ui-span-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
  }
ui-span-hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
  }
ui-span-days = { $count ->
    [one] 1 day
   *[other] { $count } days
  }
ui-more = More
ui-setup-others = To others
ui-start-shared = Lay the table and invite
ui-pace = Pace
ui-pace-live = in one go
ui-pace-live-help = Everyone is there at the same time. For whoever is away for more than a minute a computer plays until he comes back.
ui-pace-slow = over days
ui-pace-slow-help = Everyone plays when there is time; nobody has to wait.
ui-clock = Time for a turn
ui-clock-none = no clock
ui-clock-turn = { $span } a turn
ui-clock-short = { $count } s
ui-clock-title = { $span } left, then a computer plays
ui-clock-hurry = { $count } seconds left, then a computer plays for you.
ui-public = Who may come?
ui-public-no = only who has the code
ui-public-yes = open to everyone
ui-dice = Dice
ui-dice-provable = the server's, to be checked
ui-dice-provable-help = After the game everybody can check every throw.
ui-dice-typed = real dice
ui-dice-typed-help = You throw yourselves and type in what lies there; the program keeps the pad.
ui-seat-free = free
ui-seat-free-name = free for others
ui-seat-free-number = Free seat { $number }
ui-seat-add-free = Invite someone
ui-seats-free = { $count ->
    [one] 1 seat free
   *[other] { $count } seats free
  }
ui-gathering = The table is laid
ui-invite = Invite
ui-invite-code = Code: { $code }
ui-invite-how = Whoever opens the link or types this code is at the table.
ui-invite-link = Link to this table
ui-invite-text = Come and roll some dice! The code is { $code }.
ui-invite-picture = QR code with the link to this table
ui-invite-home = This link works on this machine only. With ./knobel serve --lan other devices in the same network can come in.
ui-ready = ready
ui-not-ready = not ready yet
ui-ready-now = I am ready
ui-ready-note = Then { $name } starts the game.
ui-unready = Not yet after all
ui-sit = Sit down
ui-sit-here = Sit here
ui-watch = You are watching.
ui-watch-free = You are watching. A seat is still free.
ui-watch-full = You are watching. No seat is free.
ui-watchers = { $count ->
    [one] 1 person is watching
   *[other] { $count } people are watching
  }
ui-wait-for-host = You are ready. { $name } starts the game.
ui-start-game = Start the game
ui-start-late = { $count ->
    [one] { $names } is not ready yet.
   *[other] { $names } are not ready yet.
  }
ui-start-alone = So far you would play alone.
ui-start-free = { $count ->
    [one] The free seat goes when the game starts.
   *[other] The free seats go when the game starts.
  }
ui-mixing = The dice are being mixed …
ui-hand-over = Make { $name } the host
ui-send-away = Send { $name } away
ui-send-away-text = Whoever is sent away cannot sit down at this table again, but may watch.
ui-send-away-yes = Send away
ui-close-table = Give up the table
ui-closed = This table has been given up
ui-closed-text = It was given up before the game had ended.
ui-leave = Leave the table
ui-leave-title = Leave the table?
ui-leave-text = A computer plays on for you. You can come back at any time.
ui-leave-yes = Leave
ui-leave-no = Stay
ui-stand-in = a computer plays
ui-stand-in-left = You have left the table; a computer plays for you.
ui-stand-in-away = You were away; a computer plays for you.
ui-stand-in-clock = Time was up; a computer plays for you.
ui-return = Take your seat back
ui-watching-away = { $name } is away …
ui-pad-tab-total = { $total } points
ui-say = Say something
ui-phrase-hello = Hello!
ui-phrase-luck = Good luck!
ui-phrase-nice = Nice one!
ui-phrase-wow = Wow!
ui-phrase-oops = Oops!
ui-phrase-hurry = Your turn!
ui-phrase-sorry = Sorry!
ui-phrase-thanks = Thanks!
ui-phrase-again = One more?
ui-phrase-bye = Bye!
ui-said-phrase = { $name }: “{ $phrase }”
ui-said-substitute-left = { $name } has left; a computer plays on.
ui-said-substitute-away = { $name } is away; a computer plays on.
ui-said-substitute-clock = Time is up for { $name }; a computer plays on.
ui-said-return = { $name } is back.
ui-said-close = The table is given up.
ui-said-continue = There is a new game.
ui-said-sit = { $name } sits down.
ui-said-rise = { $name } gets up.
ui-said-remove = { $name } is not at the table any more.
ui-said-host = { $name } is the host now.
ui-said-ready = { $name } is ready.
ui-next = There is a new game at this table.
ui-next-by = { $name } has started a new game.
ui-next-come = Come along
ui-next-watch = Watch it
ui-next-stay = Stay here
ui-record = Download the record
ui-my-tables = Your tables
ui-my-tables-waiting = { $count ->
    [0] Your other tables
    [one] Your other tables: one waits for you
   *[other] Your other tables: { $count } wait for you
  }
ui-table-join = Join in
ui-table-gather = To the table
ui-table-watch = Watch
ui-typed = Faces of the real dice
ui-typed-die = Die { $number }
ui-typed-left = { $count ->
    [one] One die to type in
   *[other] { $count } dice to type in
  }
ui-typed-enter = Enter the throw
ui-hint-typed = Throw yourself and tap the faces, or use the keys 1 to 6.

# --- Browser: to other tables ---

join-title = Join with a code
join-code = Code of the table
join-how = Eight characters, capital or small.
join-go = To the table
lobby-title = Open tables
lobby-lead = Anybody may sit down here.
lobby-ruleset = Game
lobby-all = all
lobby-none = No table is open just now. Lay one yourself and open it to everyone: under “More”.

# --- Browser: who one is ---

me-title = About you
me-lan = This connection is not encrypted: whoever reads along in the same network could play in your place. At home that will do.
me-name = Your name
me-name-note = Your name when you sit down at a table. No account, no password: this device knows who you are.
me-nobody = Nobody knows you here yet. A name will do; there are no accounts.
me-save = Save
me-saved = Saved
me-phrase = Coming back on another device
me-phrase-text = A few words bring your name, your tables and results to another device.
me-phrase-make = Show new words
me-phrase-once = Write them down: they are shown only now. Earlier ones are void.
me-phrase-noted = Noted
me-phrase-copy-by-hand = Please select and copy the words by hand.
me-recover = I have such words
me-recover-words = Your words
me-recover-note = Whoever this device was until now is forgotten.
me-recover-go = Restore
me-recovered = Welcome back, { $name }!
me-results = Results
me-results-none = No game played to its end yet.
me-game = Game
me-games = played
me-wins = won
me-best = best
me-mean = mean
me-helped = with help
me-helped-note = “With help”: a computer stood in; these games count nowhere else.
me-history = Games played
me-dice = Your dice
me-dice-none = You have not thrown yet at a table whose dice can be checked.
me-dice-count = { $dice } dice in { $throws } throws at { $tables ->
    [one] one table
   *[other] { $tables } tables
  }.
me-dice-line = Dashed: what would be expected in the mean.
me-dice-few = There are too few dice for a verdict yet.
me-dice-tests = The tests one by one
me-dice-honest = A value p says how often honest dice fall at least as unusually. Honest dice fall unusually now and then; who looks after every game will see it.
me-test-faces = Does each face come equally often?
me-test-pairs = Does a die depend on the one before?
me-test-runs = Do high and low change as they should?
me-test-p = p = { $p }
me-test-missing = { $count ->
    [one] 1 more die needed
   *[other] { $count } more dice needed
  }

# --- Browser: dice that everybody can check ---

fair-link = Check the dice
fair-title = Were the dice fair?
fair-back = Back to the table
fair-verdict-right = Yes: every throw is right
fair-verdict-right-text = Your browser has just derived { $count ->
    [one] one throw
   *[other] { $count } throws
  } itself, with { $shares ->
    [0] the secret of the server alone: nobody added a share
    [one] one share from the players
   *[other] { $shares } shares from the players
  }.
fair-verdict-wrong = No: something is wrong
fair-verdict-wrong-text = What stands here does not fit what was sealed before the game ({ $count } throws, { $shares } shares). It is red below.
fair-first-wrong = And somebody else began than the dice decided.
fair-verdict-open = Not to be said yet
fair-verdict-open-text = The secret of the server is shown at the end of the game; then every throw can be derived ({ $count } so far, { $shares } shares).
fair-verdict-typed = Real dice
fair-verdict-typed-text = At this table real dice were thrown and typed in ({ $count } throws). They cannot be derived; everybody watched them instead. Shares: { $shares }.
fair-how = How it works
fair-step-seed = Before the game the server makes up a secret and shows its seal. It cannot change it any more.
fair-step-shares = The device of every person makes up a share and shows only its seal as well.
fair-step-open = Only when all seals are there the shares are opened. Nobody could choose his by the others.
fair-step-throws = Every throw is computed from the secret, all shares and its number. Nobody can choose it, the server neither.
fair-step-end = At the end the server shows its secret, and everybody can check.
fair-exchanged = What was exchanged
fair-server = Server
fair-sealed = Seal
fair-secret = Secret
fair-seed-later = shown at the end
fair-share-computer = computers give no share
fair-share-none = no share
fair-fits = fits the seal
fair-fits-not = does not fit the seal
fair-formula = Seal: SHA-256 of the 32 bytes. Throws: HMAC-SHA-256 keyed by the secret of the server over table { $table }, shares, event and block number.
fair-throws = { $count ->
    [one] One throw
   *[other] All { $count } throws
  }
fair-event = Event
fair-beginning = Beginning
fair-faces = Faces
fair-check = Derived
fair-same = the same
fair-other = gives { $faces }
fair-yourself = Checking without this page
fair-yourself-text = Nobody has to believe this page either: the record of the game holds everything, and any machine with knobel checks it.

# --- Why this number, and what to do: reasons of the rules core ---

how-all = all dice
how-matched = matching dice
how-number = { $points }
duty-throw = throw
duty-throw-or-enter = throw again or enter
duty-enter = enter
duty-again = repeat the throw, { $keep } stays
duty-help = help: throw all dice
duty-choose = choose dice
duty-pick = pick the box of the special round
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
why-joker-not-yet = Joker: it counts in full here only once { $box } is filled.
why-must-strike = No open column has a free box left: only a strike is possible here.
why-special-box = Special round: the dice are for { $box }.
why-special-column = This column is kept for special rounds.
why-column-passed = After { $throws ->
    [one] one throw
   *[other] { $throws } throws
  }, column { $column } is no longer open.

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

# --- Options of Acht, Mann! (RULES 8.4) ---

option-five-kind-points = Points of five of a kind
    .help = For five alike in their own box.
option-pothole-points = Points of the pothole straight
    .help = Usually something between the small and the large straight.
option-empty-house-points = Points of the empty house
    .help = A flat number, or the sum of all dice.
option-empty-house-points-sum = all dice
    .help = The empty house counts what the dice show.
option-extra-grant = Earning an extra throw
    .help = What a column needs for an extra throw.
option-extra-grant-both = both together
    .help = All these boxes of a column must reach their minimum; together they earn one extra throw.
option-extra-grant-each = each on its own
    .help = Each of these boxes earns an extra throw of its own with its minimum.
option-extra-grant-either = one will do
    .help = One of these boxes will do; a column never earns more than one extra throw.
option-extra-minima = Minimum in each column
    .help = The points that a box of the first, second … column needs to count for an extra throw.
option-extra-mode = Effect of an extra throw
    .help = What an extra throw does to the open columns.
option-extra-mode-keeps-column = columns stay open
    .help = An extra throw is not counted: the same columns stay open. It may be used at any time, even after the last throw.
option-extra-mode-same-column = this column only
    .help = After an extra throw the result must go to the column whose throw it is just now.
option-extra-mode-after-fifth = only at the end
    .help = An extra throw may be used only once all ordinary throws are spent.
option-extra-max-per-turn = Extra throws in a turn
    .help = No more than this many in one turn; 0 means no limit.
option-jokers-in-special = Jokers in special rounds
    .help = Jokers and extra throws may be used for the special column as well.
option-samuel-mode = Samuel
    .help = What calling Samuel undoes.
option-samuel-mode-turn = the whole turn
    .help = The turn begins anew: all dice, first throw.
option-samuel-mode-throw = the last throw
    .help = Only the last throw is repeated; what was kept before it stays.
option-wunder-pool = Dice of the miracle
    .help = Which dice one chooses from in a dice miracle.
option-wunder-pool-own-and-helpers = own and others'
    .help = One chooses from one's own dice and those of all fellow players.
option-wunder-pool-helpers = others' only
    .help = One chooses from the dice of the fellow players alone.
option-solo-helpers = Dice miracle alone
    .help = Whoever plays alone throws this often for imagined helpers. With 0 there is no dice miracle then.
option-overthrow = Throw without a free box
    .help = What holds when the next throw would leave no free box in any open column.
option-overthrow-forbid = forbidden
    .help = A throw that would leave no free box in any open column is not allowed.
option-overthrow-strike-any = allowed, but strike
    .help = Even a throw that leaves no free box in any open column is allowed. Then any free box must be struck.
option-bonus-trigger = What starts a special round
    .help = When a bonus interrupts the game.
option-bonus-trigger-sum = the sum is reached
    .help = The game is interrupted as soon as the upper boxes of a column reach the threshold of the bonus.
option-bonus-trigger-complete = the upper half is full
    .help = The game is interrupted only once all upper boxes of the column are filled as well.
option-special-order = Order of the special round
    .help = Who throws first in a special round.
option-special-order-bonus-first = the bonus player
    .help = In a special round the player with the bonus throws first, then the others in turn.
option-special-order-seat = whoever began the game
    .help = In a special round whoever began the game throws first, then the others in turn.
option-special-throws = Throws in the special column
    .help = A turn for the special column has so many throws.
option-special-bonus-triggers = Bonus of the special column counts
    .help = A bonus in the special column starts a special round as well.
option-special-last = The box kept back
    .help = Which box of the special column stays free until the end.
option-special-last-bottom = the lowest
    .help = Nobody may pick the lowest box of the special column; it is thrown for last of all.
option-special-last-any = whichever is left
    .help = Any box of the special column may be picked until only one is free.
option-final-order = Throwing off at the end
    .help = How the remaining boxes of the special column are thrown for at the end.
option-final-order-rows = row by row
    .help = At the end all throw for the same row, then for the next, from top to bottom.
option-final-order-players = player by player
    .help = At the end one player fills all remaining boxes, then the next.
option-no-strike-points = Points for “no strike?”
    .help = For a full column with its bonus and without any 0.
option-no-strike-columns = “No strike?” holds in
    .help = Which columns can get these points.
option-no-strike-columns-all = all columns
    .help = “No strike?” can be had in every column, the special one included.
option-no-strike-columns-regular = ordinary columns
    .help = “No strike?” cannot be had in the special column.

# --- Rules pages: headings ---

rules-page-title = Rules
rules-page-lead = What makes each game, box by box. All examples are worked out by the program itself.
rules-page-contents = Contents
rules-page-boxes = The boxes
rules-page-boxes-lead = Where several rules stand, the first that fits counts. The examples are for an empty pad.
rules-page-contrast = Standard against this game
rules-page-options = Options
rules-page-options-lead = What each option changes, row by row against the standard, and in numbers.
rules-page-history = History
rules-page-rule = Rule
rules-page-standard = Standard
rules-page-this = Like this
rules-page-classic = Classic pad
rules-page-default = Standard: { $value }
rules-page-value = { $option }: { $value }
rules-page-now = Chosen now: { $value }
rules-page-roll = Roll
rules-page-given = Given
rules-page-answer = Then
rules-page-nothing = –
rules-page-print = Print
rules-page-all = All rules
rules-page-more = All rules with examples
rules-page-about-pad = { $ruleset }: rules with examples, in a new tab
rules-page-about-option = { $option } explained, in a new tab
rules-page-changed = With these options
rules-example-best = the most
rules-example-typical = for example
rules-example-near = just short
rules-example-zero = nothing
rules-part-turn = A turn
rules-part-upper = The upper bonus
rules-part-extra = Further fives of a kind
rules-part-joker = The joker
rules-part-saved = Saved throws
rules-part-columns = The columns
rules-part-order = The order
rules-part-tokens = Jokers to spend
rules-part-earned = Extra throws
rules-part-special = Special rounds and the end
rules-part-clean = No strike?

# --- Rules pages: what a game is, and how a turn goes ---

rules-about-classic = Five dice, 13 boxes, three throws in a turn. Above you collect ones to sixes, below three and four of a kind, full house, straights and five of a kind. If you like, play the pad triple, in a fixed order, or with one of two jokers.
rules-about-kniffel-2003 = This is how a small computer game on a private web page counted in 2003: five alike are a full house too, each further Kniffel brings a token, and bonus and tokens are settled only at the end.
rules-about-kniffel-schmidt = The classic pad by the rule of the German publisher. Once the Kniffel box is filled, a further Kniffel must go to the upper box of its number and brings 50 points more there. If that is filled as well, it counts as a joker below, without extra points.
rules-about-yatzy = The Nordic pad with 15 boxes. One pair and two pairs are worth something too, and most boxes count only the dice that form them. There are no jokers, and a second Yatzy brings nothing extra.
rules-about-six-dice = The great Nordic game: six dice, 20 boxes, and a throw you do not use in one turn is yours in a later one. Stop early and keep your throws for the hard boxes.
rules-about-acht-mann = A sheet of six columns. Whoever is content with the first throw may enter anywhere; each further throw closes a column at the front. On top there are Samuel, the dice miracle, earned extra throws, and special rounds that interrupt the game half-way. And exactly eight pips bring 80 points.
rules-turn = You throw all { $dice } dice. Then you may throw any of them again, { $throws } times altogether. A die that was kept may be thrown again later.
rules-turn-enter = At the end of the turn the roll goes to exactly one free box. If it does not fit there, that is a strike: the box counts 0. What is written stays.
rules-turn-end = The game is over when all { $boxes } boxes of every player are filled. The highest total wins.
rules-saved = Every throw that you do not need in a turn goes to your store. In any later turn you may use throws from it on top. One throw a turn is a must; what is left at the end is worth nothing.

# --- Rules pages: the rows of a comparison ---

rules-row-dice = Dice
rules-row-throws = Throws
rules-row-pad = Pad
rules-row-columns = Columns
rules-row-groups = Pairs and of-a-kinds
rules-row-sets = Straights
rules-row-equal = All dice alike
rules-row-others = Other boxes
rules-row-upper = Upper bonus
rules-row-joker = Joker
rules-row-order = Order
rules-row-tokens = Jokers to spend
rules-row-earned = Extra throws
rules-row-special = Special rounds
rules-row-clean = No strike?
rules-row-shown = Running total
rules-row-tie = Tie
rules-row-habits = Handling
rules-row-options = Other options
rules-dice = { $dice ->
    [5] Five dice.
    [6] Six dice.
   *[other] { $dice } dice.
  }
rules-throws = Up to { $throws } throws in a turn. What is left of them lapses.
rules-throws-saved = Up to { $throws } throws in a turn, and on top all that were left in earlier turns. Stop early and keep the rest for later.
rules-pad = { $boxes } boxes, so { $boxes } rounds.
rules-pad-columns = { $count } rows in { $columns } columns: { $boxes } boxes.
rules-pad-rows = { $rows }.
rules-columns-plain = { $columns } columns that count the same.
rules-columns-factors = The columns count { $factors }, each with its bonus.
rules-columns-throws = After the first throw of a turn, columns 1 to { $columns } are open, after the second only from 2 on, and so forth: each throw closes the foremost. An early roll may also stand further back.
rules-columns-throw = Column { $column } is open up to throw { $throws } of a turn.
rules-upper = { $bonus } points once the upper boxes reach { $threshold } together.
rules-upper-hits = That is { $hits } of each number.
rules-upper-none = None.
rules-extra-points = A further five of a kind brings { $points } points on top of its box.
rules-extra-none = Further ones bring nothing extra.
rules-extra-upper = The extra points are for the upper box of its number only.
rules-extra-multiplied = They are multiplied by the factor of the column that the roll goes to.
rules-extra-plain = The factor of the column does not apply to them.
rules-order-fixed = The pad names the box: { $rows }.
rules-token-restart = { $token } ({ $uses ->
    [one] once a game
   *[other] { $uses } times a game
  }): you break off without a strike.
rules-token-helpers = { $token } ({ $uses ->
    [one] once a game
   *[other] { $uses } times a game
  }): all fellow players throw their dice for you once; you choose the best and enter at once.
rules-token-alone = Whoever plays alone throws { $throws ->
    [one] once more
   *[other] { $throws } times more
  } for it.
rules-token-not-alone = It is not possible alone.
rules-earned = Extra throws are earned with { $rows }. They need at least, column by column, { $minima } points.
rules-earned-most = No more than { $most } in a turn.
rules-special = The last column is filled in special rounds only: whoever earns a bonus picks a box there, and all throw for it, with up to { $throws } throws. What is free at the end is played out.
rules-special-jokers = Jokers and extra throws may be used there too.
rules-special-no-jokers = Jokers and extra throws may not be used there.
rules-special-own-bonus = A bonus in this column starts a special round as well.
rules-special-no-own-bonus = A bonus in this column counts, but starts no special round.
rules-no-strike = { $points } points for a full column that has its bonus and no 0 anywhere.
rules-tie = With the same total these are compared: { $rows }.
rules-habit-marks-keep = A marked die stays.
rules-habit-marks-again = A marked die is thrown again.
rules-habit-balance-below = The balance against par stands below the upper boxes.
rules-habit-balance-beside = The balance against par also stands to the left of the upper boxes.
rules-options-all = Triple, fixed order and the two jokers.
rules-options-joker = The two jokers.
rules-options-triple = Triple and fixed order work here too. The jokers to choose belong to the classic pad and do not apply.
rules-options-order = Fixed order works here too. The jokers to choose belong to the classic pad.
rules-options-none = Neither triple nor fixed order. The jokers to choose belong to the classic pad.

# --- Rules pages: what must lie, and what it brings ---

rules-pattern-face = every die with { $face }
rules-groups-2 = two alike
rules-groups-2-2 = two pairs of different numbers
rules-groups-2-2-2 = three pairs of different numbers
rules-groups-3 = three alike
rules-groups-4 = four alike
rules-groups-5 = five alike
rules-groups-6 = six alike
rules-groups-3-2 = three of one number and two of another
rules-groups-3-3 = twice three alike, of different numbers
rules-groups-4-2 = four of one number and two of another
rules-pattern-groups = { $groups } alike, each group of another number
rules-pattern-groups-exact = exactly { $groups } alike, no more
rules-pattern-two-pairs-only = exactly two pairs, the fifth die shows something else
rules-pattern-run = { $length } in a row
rules-pattern-set = { $dice }
rules-pattern-one-of = one of { $dice }
rules-pattern-total = exactly { $total } pips together
rules-pattern-any = any roll
rules-pattern-joker = as a joker
rules-points-all = the sum of all dice
rules-points-matched = the sum of these dice
rules-points-number = { $points ->
    [one] 1 point
   *[other] { $points } points
  }

# --- Rules pages: the jokers, row by row ---

rules-joker-row-when = When it applies
rules-joker-row-forced = Prescribed: where
rules-joker-row-free = Free choice: where
rules-joker-row-brings = What it brings
rules-joker-row-bonus = Bonus
rules-joker-row-others = Other options
rules-joker-never = Never. A further five of a kind is a roll like any other.
rules-joker-when = With five alike, once the box for five of a kind is filled, be it with 50 or with a strike.
rules-joker-anywhere = To any free box.
rules-joker-forced-where = To the upper box of its number as long as that is free. Otherwise to any free box below. If everything below is full too: as a 0 to a free upper box.
rules-joker-free-where = To any free box, just as without a joker.
rules-joker-dice = Only what the dice show:
rules-joker-full = The full value if the upper box of its number is filled. The other boxes count as ever:
rules-joker-bonus = Each further five of a kind brings { $points } extra while the box for five of a kind holds 50.
rules-joker-bonus-same = A joker does not change that: { $points } with a 50, nothing after a strike.
rules-joker-no-pad = This is how every pad is played.
rules-joker-classic = The jokers belong to the classic pad; on others they cannot be chosen.
rules-joker-triple = On a triple pad a joker applies only once all three boxes for five of a kind are filled. It has its full value once the box of its number is filled in all three columns.
rules-joker-order = With a fixed order, the order names the box.

# --- Rules pages: worked cases ---

rules-given-holds = { $box } holds { $points }.
rules-given-struck = { $box } is struck.
rules-given-open = { $box } is still free.
rules-given-filled = { $box } is filled.
rules-given-free = Free: { $rows }.
rules-given-free-boxes = Free: { $boxes }.
rules-given-fives = One five of a kind has been entered elsewhere.
rules-given-upper = The upper boxes hold { $values }.
rules-given-one-throw = Each turn takes one throw only, then the entry.
rules-given-columns = Each column is worth { $points } by itself, bonus included.
rules-given-boxes = Filled: { $boxes }.
rules-given-new = An empty pad.
rules-given-tie = Anna and Ben have { $points } points each: Anna 24 in { $box } and 18 in { $category }, Ben the other way round.
rules-given-throws = After { $throws ->
    [one] one throw
   *[other] { $throws } throws
  }.
rules-given-full-column = Column { $column } is full.
rules-given-extras = After { $throws } throws and { $extras ->
    [one] one extra throw
   *[other] { $extras } extra throws
  }; one more has been earned.
rules-given-restart = After { $throws } throws, { $keep } was kept in the last. Now { $token }.
rules-given-players = { $players ->
    [one] One plays alone.
   *[other] { $players } play.
  }
rules-given-special = A turn for { $box } in the special column.
rules-given-bonus-open = The upper boxes hold { $sum } points, several of them are still free. { $box } adds { $points }.
rules-given-bonus-whole = The upper boxes hold { $sum } points, only one of them is still free. { $box } adds { $points }.
rules-given-round = { $players } play. Seat { $seat } has the bonus and picks { $box }; seat 1 began the game.
rules-given-closing = Two play, everything else is full. Free: { $boxes }.
rules-given-column = Column { $column }, from top to bottom: { $values }.
rules-shows-barred = { $box }: not allowed
rules-shows-entry = { $box }: { $points }
rules-shows-entry-bonus = { $box }: { $points } and { $bonus } extra
rules-shows-upper = sum { $sum }, bonus { $bonus }, together { $points }
rules-shows-running = running total { $points }
rules-shows-throws = turn { $turn }: up to { $throws } throws
rules-shows-total = total { $points }
rules-shows-free-choice = { $boxes } boxes to choose from
rules-shows-legal = allowed: { $boxes }
rules-shows-ranks = Anna rank { $first }, Ben rank { $second }
rules-shows-columns = open columns: { $columns }
rules-shows-left = { $throws ->
    [0] no throw left
    [one] one more throw
   *[other] { $throws } more throws
  }
rules-shows-earned = { $throws ->
    [0] no extra throw
    [one] one extra throw
   *[other] { $throws } extra throws
  }
rules-shows-extra = an extra throw is possible
rules-shows-no-extra = no extra throw possible
rules-shows-next-throw = on with throw { $throw }, { $dice ->
    [one] one die flies
   *[other] { $dice } dice fly
  }
rules-shows-pool = { $dice } dice to choose from
rules-shows-no-token = { $token } is not possible
rules-shows-jokers = jokers are allowed
rules-shows-no-jokers = no jokers
rules-shows-round = a special round at once
rules-shows-no-round = no special round
rules-shows-seats = the seats { $seats } throw in this order
rules-shows-picks = to pick: { $boxes }
rules-shows-duty = seat { $seat }: { $box }
rules-shows-column = bonus { $bonus }, no strike { $extra }, column { $points }

# --- Rules pages: history ---

rules-history-yacht = At the beginning there is Yacht, an older game with five dice.
rules-history-1956 = In 1956 a game came to the shops in America that built on Yacht: the upper bonus, three of a kind, the small straight, points for further fives of a kind and the joker were new.
rules-history-lower-only = In the rule book of 1956 a further five of a kind was a joker in the lower half only.
rules-history-1961 = The version whose copyright was renewed in 1961 changed that.
rules-history-forced-free = The prescribed joker, first above, then below, is the official rule of today. Free choice is the looser way that is often described beside it.
rules-history-2003 = The model is a private web page of June 2003 on which one could play the game in the browser, alone or in turns, with the mouse and a balance against par.
rules-history-schmidt = In Germany the game is published by Schmidt. Its manual gives 50 extra points for a further Kniffel, not 100.
rules-history-nordic = Yatzy is the way the game is played in the Nordic countries.
rules-history-nordic-values = Instead of large flat numbers, it mostly counts what the dice show: even the straights are worth no more than their pips, 15 and 20.
rules-history-maxi = In the Nordic countries the game is also played with six dice, beside Yatzy and under the name Maxi Yatzy.
rules-history-maxi-pad = Its pad has 20 boxes. The Yatzy box is gone; instead there are three pairs, five of a kind, full straight, castle, tower, and six of a kind for 100 points. The bonus of 100 takes 84 above, and unused throws stay for later.
rules-history-full-straight = Printed tables do not quite agree. The full straight mostly counts 21, the sum of its pips, in some 30. Here it is 21, and 30 can be chosen.
rules-history-acht = “Acht, Mann!” is a house game with a sheet of its own that builds on the idea of Kniffel. Its text leaves some numbers open; usual values stand here for those, and options for others.
rules-history-acht-names = Its names differ: Fünferpasch for Kniffel, full house in plain German, scrap for chance. New are the straight with a hole, the broken full house, and the 80 points for exactly eight pips.

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
special-needs-column = Special rounds need exactly one column with special = true and at least one ordinary one, and the other way round.
needs-plain-columns = This does not work with columns that are open by throws or in special rounds only.
no-column-for-last-throw = After the last throw ({ $throws }) a column must still be open, and none for longer.
expected-one-per-column = There must be a number for each of the { $columns } columns.
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
pick-first = A box of the special column must be picked first; { $action } is not possible yet.
pick-not-allowed = { $box } cannot be picked for a special round now.
helpers-first = All helpers throw first; { $action } is not possible yet.
choose-first = The dice must be chosen first; { $action } is not possible yet.
choose-not-allowed = { $action } is not possible: these dice are not there to choose from.
token-not-to-spend = { $found } cannot be spent now.
no-extra-throw = No extra throw is possible for { $action }.
throw-is-fixed = What was kept stays for this throw too; { $action } is not possible.
not-your-turn = It is not the turn of seat { $seat } but of seat { $turn } (counted from 0).

# --- Rules core: game records ---

record-too-long = The record is too long; { $most } lines are allowed.
record-line = No line can begin with { $found } here.
record-header = The header line { $name } cannot be read: { $found }.
record-header-missing = The header line { $name } is missing.
record-digest = The rules do not fit the digest { $found }; theirs is { $expected }.

# --- Rules core: dice that can be checked ---

fair-table = This cannot be the id of a table: { $found }.
fair-hex = Expected 64 lower-case hex digits, not { $found }.
fair-seats = Expected seats in ascending order, each once, not { $found }.
fair-wrong-seed = The seed is not the one of the commitment { $commitment }.
fair-no-commitment = Seat { $seat } showed a share without a commitment (counted from 0).
fair-wrong-share = The share of seat { $seat } is not the one of its commitment { $commitment } (counted from 0).
verify-typed = The dice were thrown on a real table and typed in; nothing can be derived.
verify-no-exchange = The record holds no exchange of secrets; nothing can be derived.
verify-no-seat = There is no seat { $seat } among { $seats } (counted from 0).
verify-no-seed = The seed is not shown yet; that happens at the end of the game.
verify-too-many = Two dice draw lots among { $most } seats at most.
verify-beginner = Seat { $seat } begins by the dice, seat { $found } by the record (counted from 0).
verify-differs = Seed and shares bring other dice.

# --- Rules core: a statistic of dice ---

dice-too-few = Too few dice to say anything: { $missing ->
    [one] one is missing
   *[other] { $missing } are missing
  }.
dice-usual = Nothing unusual.
dice-unusual = Unusual: happens with 1 of { $count } honest players.

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
cli-help-long = Explain every option, not only the chosen ones.
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
cli-help-host = Address at which the server listens; without --lan and --public-url only one of this machine.
cli-help-lan = Let other devices of your own network play as well, without encryption: whoever is in the network can read along.
cli-help-public-url = Behind a proxy with TLS: the address at which everybody reaches the server, such as https://play.example
cli-help-data = Folder of stored games and tables.
cli-help-database = Address of a PostgreSQL database instead of the folder: postgresql://user:password@host/name; KNOBEL_DATABASE may hold it.
cli-help-workers = So many processes serve the same address; this needs --database.
cli-help-no-browser = Do not open the browser.
cli-help-version = Tell the version.
cli-help-help = Show this help.
cli-arguments = Arguments
cli-options = Options
cli-commands = Commands
cli-port-busy = Port { $port } is busy, so another one.
cli-serving = Knobel is running: { $url } (Ctrl-C ends it)
cli-serving-lan = On other devices in this network: { $urls }
cli-serving-no-lan = This machine has no address in a private network; other devices cannot reach it.
cli-serving-plain = Not encrypted: whoever is in this network can read along and pose as somebody else.
cli-serving-public = Knobel is running for { $url } (Ctrl-C ends it). The proxy passes requests with their Host on to { $behind }.
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

# Around the table
guest-needed = For this you need a name first.
guest-barred = The host has sent you away from this table.
room-closed = This table has been given up.
room-not-begun = The game has not begun yet.
room-begun = The game has begun already.
room-full = No seat is free at this table.
room-empty = Without players no game can begin.
room-not-ready =
    { $seats ->
        [one] One seat is not ready yet.
       *[other] { $seats } seats are not ready yet.
    }
room-host-only = Only the host may do this.
room-not-allowed = Only the server itself does this.
room-said-enough = Enough said: let the dice roll again.
room-not-over = The game is not over yet.
room-typed-begin = With real dice the first seat begins, or they take turns at it.
seat-unknown = There is no seat { $seat } here (counted from 0).
seat-taken = Somebody sits on seat { $seat } already (counted from 0).
seat-nobody = Nobody sits on seat { $seat } (counted from 0).
seat-not-yours = This is about your own seats, all of them and no others.
seat-stand-in = A computer plays for seat { $seat } at the moment (counted from 0): come back first.
seat-typed-people = With real dice only people play.
seat-typed-stays = With real dice nobody can stand in for you.
fair-malformed = A sealed share has 64 hex digits.
fair-too-early = Shares are revealed only when all of them are sealed.
fair-too-late = It is too late for shares: the game is on.
fair-mismatch = This is not the share that was sealed.
typed-faces-unasked = The server throws here; no faces are typed in.
typed-faces-expected =
    { $dice ->
        [one] One die was thrown; its face from 1 to 6 is to be typed in, not { $found } numbers.
       *[other] { $dice } dice were thrown; their faces from 1 to 6 are to be typed in, not { $found } numbers.
    }
server-code-unknown = There is no table with this code.

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
server-guest-none = That takes a name first.
server-guest-phrase-unknown = Nobody belongs to these words. One may be mistyped, or there are newer ones by now.
server-message-not-json = This message is no JSON: { $problem }
server-message-too-deep = This message is nested more than { $most } deep.
server-message-invalid = This message cannot be used, at { $where }: { $problem }
server-message-binary = Messages are texts, not bytes.
server-hello-expected = The first message must be a hello.
server-hello-again = The hello has been said already.
server-protocol = This page speaks version { $found } of the protocol, the server { $expected }. Load the page again.
server-too-many = More than { $most } messages in { $seconds } seconds are too many.
server-too-many-new = That is more than the server makes for one visitor: { $most } in { $seconds } seconds. Try again in { $wait } seconds.
server-too-many-tries = Tried too often: { $most } in { $seconds } seconds are allowed. Try again in { $wait } seconds.
server-too-many-sockets = Too many games are open from this place; at most { $most } can be at once.
server-not-found = There is nothing here.
server-method-not-allowed = That cannot be done here.
server-request-invalid = This request cannot be used, at { $where }: { $problem }
server-too-large = A request may have at most { $most } bytes.
server-foreign-host = This server does not go by that name. On this machine it is called localhost; knobel serve --help tells what other devices need.
server-foreign-host-lan = This server does not go by that name. In this network please use the address in digits that was printed at its start.
server-foreign-host-public = This server is reached at { $url }
server-plain-http = Without encryption this server answers on its own machine only. For other devices of the same network start it with knobel serve --lan, for the internet with --public-url behind a proxy with TLS.
server-plain-http-far = Without encryption this server answers in its private network only. For the internet start it with knobel serve --public-url behind a proxy with TLS.
server-foreign-origin = Requests from pages of other sites are refused.
server-no-pages = The pages of knobel have not been built. Start knobel with ./knobel, or install it again.
server-folder-in-use = Another knobel server is using the data folder { $path }.
server-folder-full = There is no room left in the data folder { $path }.
server-folder-unwritable = The data folder { $path } cannot be written: { $problem }
server-database-unusable = The database { $path } cannot be used: { $problem }
server-database-foreign = { $path } is not a database of knobel.
server-database-newer = The database { $path } was made by a newer knobel ({ $found }, this one knows { $expected }).
server-workers-shared = { $found } processes need a database that they share: --workers goes with --database only.
server-database-scheme = A database has an address like { $expected }://user:password@host/name, not { $found }.
server-database-bad-address = The address of the database cannot be read.
server-database-bad-password = The address of the database has more than one @; one in the password is written as %40.
server-database-bad-name = The address of the database lacks the name of a database after its host.
server-database-bad-option = The address of a database may set host, port and ssl, not { $option }.
server-address-unusable = The server cannot listen at { $host }: { $problem }
server-no-free-port = All ports from { $first } to { $last } are busy.
server-lan-and-public = --lan is for your own network without encryption, --public-url for a proxy with TLS; only one of them is possible.
server-lan-host = --lan needs an address in a private network, not { $host }; without --host it is all of them.
server-host-careless = At { $host } other machines could come in, without encryption. In your own network --lan allows that, behind a proxy with TLS --public-url.
server-public-url = --public-url is an address such as https://play.example, without a path, not { $found }.

# --- House rules on the server and on the command line ---

server-house-unknown = There are no such house rules on this server.
server-house-full = This server keeps no more than { $most } house rules.
server-house-id = { $found } is the id of a ruleset that comes with knobel; house rules need one of their own.
server-house-boxes = A pad on this server has at most { $most } boxes, not { $found }.
server-house-too-large = These rules are too large for this server.
cli-help-check = Check whether a ruleset can be played, also with each of its options.
cli-help-export = Print a ruleset as a whole TOML file.
cli-checked = { $name }: all in order. { $boxes } boxes, { $options } options, mark { $mark }.

# --- Command line: exact values ---

cli-help-solve = Solve a ruleset exactly: what an empty pad is worth with the best play.
cli-help-solve-list = All tables of the data folder, also unfinished and damaged ones.
cli-help-threads = Solve on so many threads; otherwise one for each processor.
cli-help-force = Begin anew, even if it takes long or there is a table already.
cli-help-resume = Go on where a solve was interrupted.
cli-help-cluster = Solve on the Dask cluster whose scheduler is found here, such as tcp://host:8786.
cli-list-alone = --list shows all tables: without ID and without -o.
cli-force-or-resume = --force begins anew, --resume goes on: only one of them.
cli-value = { NUMBER($value, minimumFractionDigits: 4, maximumFractionDigits: 4, useGrouping: "always") }
cli-count = { NUMBER($count, useGrouping: "always") }
cli-seconds = { NUMBER($seconds, maximumSignificantDigits: 3) } s
cli-size = { NUMBER($amount, maximumFractionDigits: 1) } { $unit }
cli-solved-value = Expected total
cli-solved-states = States
cli-solved-time = Solved in
cli-solved-folder = Folder
cli-solved-on = { $time } on { $threads ->
    [one] one thread
   *[other] { $threads } threads
  }
cli-solve-plan = { $ruleset }: { NUMBER($states, useGrouping: "always") } states, { $memory } of memory, { $disk } on disk; all in all about { $time } on { $threads ->
    [one] one thread
   *[other] { $threads } threads
  }.
cli-solve-compiling = Compiling, this first time only …
cli-solve-progress = { $percent } %, pads with { $filled } of { $boxes } boxes filled, { NUMBER($rate, useGrouping: "always") } values/s, about { $left } left
cli-solve-stopped = Stopped; what is finished is kept. Go on with: { $call } --resume
cli-no-tables = There are no tables in { $path } yet. Make one with: knobel solve ID
cli-column-ruleset = Ruleset
cli-column-digest = Digest
cli-column-kind = Numbers
cli-column-stored = Values
cli-column-size = Size
cli-column-state = State
cli-column-expected = Expected
cli-table-finished = finished
cli-table-layers = { $done } of { $layers } layers
cli-table-damaged = damaged

# --- Command line: simulation ---

cli-help-simulate = Many games of a computer player alone: mean, deviation, distribution, points of each box.
cli-help-policy = Who plays: optimal (exactly solved), greedy (thinks of the turn only), random (anything that is legal).
cli-help-games = How many games; otherwise 1000000, with greedy and random 1000.
cli-help-seed = What the dice come from: same number, same games. Otherwise 1.
cli-help-out = Every game as a row of this file: .csv, .parquet or .json.
cli-points = { NUMBER($points, minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: "always") }
cli-percent = { NUMBER($percent, minimumFractionDigits: 1, maximumFractionDigits: 1) } %
cli-policy-optimal = optimal: plays for the highest expected total
cli-policy-greedy = greedy: thinks of the present turn only
cli-policy-random = random: does anything that is legal
cli-simulated-policy = Policy
cli-simulated-games = Games
cli-simulated-rate = Speed
cli-simulated-mean = Mean
cli-simulated-deviation = Standard deviation
cli-simulated-bonus = With upper bonus
cli-simulate-count = { NUMBER($count, useGrouping: "always") } (seed { $seed })
cli-simulate-speed = { NUMBER($rate, useGrouping: "always") } games/s ({ $time })
cli-simulate-interval = { $mean } (with 95 % confidence { $low } to { $high })
cli-simulate-totals = Totals
cli-simulate-lowest = lowest
cli-simulate-highest = highest
cli-simulate-percentile = { $percent } %
cli-column-mean = Mean points
cli-column-zeros = No points
cli-simulate-written = { NUMBER($count, useGrouping: "always") } { $count ->
    [one] row is
   *[other] rows are
  } in { $path }.
cli-simulate-progress = { $percent } % of { NUMBER($games, useGrouping: "always") } games, { NUMBER($rate, useGrouping: "always") } games/s, about { $left } left
cli-simulate-greedy = { $problem } With --policy greedy any ruleset can be played.
cli-simulate-solve-first = { $problem } Only knobel solve takes these; --policy greedy needs no table.
games-ending = { $found }: The ending must be one of { $values }.
games-not-written = The file { $path } cannot be written: { $problem }
games-no-parquet = For Parquet the package pyarrow is needed: pip install "knobel[{ $extra }]".
sim-games = There must be one game at least, not { $found }.
sim-memory = { NUMBER($games, useGrouping: "always") } games need { $memory } GB of memory; { $free } GB are free.

# --- Exact values: what stands against a solve, and tables that cannot be used ---

solver-word = { $ruleset } cannot be solved exactly: the tables have no place for { $word }.
solver-no-such-pad = No game of { $ruleset } leads to this pad.
solver-too-many-states = { $ruleset } has about { $states } states: some { $disk } GB on disk and { $hours } hours of work, too much for tables. A prescribed order makes them fewer, such as -o order=down.
solver-memory = { $ruleset } with { $states } states needs { $memory } GB of memory; { $free } GB are free.
solver-disk = { $ruleset } with { $states } states needs { $disk } GB on disk; { $free } GB are free. --data takes another folder.
solver-too-long = { $ruleset } with { $states } states takes about { $minutes } minutes here. If that is meant: --force.
solver-other-rules = These values belong to { $ruleset }, the game is played by other rules ({ $found }).
solver-no-distribution = How the totals of { $ruleset } are distributed is not worked out: { $states } states are too many for that.
solver-no-cluster = To solve on several machines the package distributed is needed: pip install "knobel[{ $extra }]".
solver-cluster-unreachable = No scheduler answers at { $address }: { $problem }
solver-cluster-empty = No worker has joined the scheduler { $address } yet.
solver-cluster-version = A worker runs another knobel than this one ({ $version }). It must be the same everywhere.
solver-cluster-failed = The solve came to a stop on the other machines: { $problem }
table-format = The table { $path } has format { $found }, this version reads { $expected }. knobel solve --force makes it anew.
table-unreadable = The table { $path } cannot be read. knobel solve --force makes it anew.
table-file-missing = The table lacks its file { $path }. knobel solve --force makes the table anew.
table-file-damaged = The file { $path } is not as it was written. knobel solve --force makes the table anew.
table-folder = The folder { $path } cannot be used: { $problem }
table-in-work = Another knobel is solving into { $path } just now.
table-missing = There is no table of { $ruleset } in { $path } yet. knobel solve { $ruleset } makes it.
table-foreign = The table { $path } belongs to { $found }, not to { $ruleset }. knobel solve --force makes it anew.
table-unfinished = The table { $path } of { $ruleset } is not finished. knobel solve --resume goes on.
table-interrupted = { $path } holds an unfinished table of { $ruleset }. --resume goes on, --force begins anew.
table-not-written = The file { $path } cannot be written: { $problem }

# --- Verifying dice ---

cli-help-verify = Derive every throw of a record again from seed and shares; ends with 1 if the dice are not verified.
cli-help-record = File of a record, text or JSON; - reads standard input.
cli-verify-dice = Dice
cli-verify-dice-provable = from seed and shares
cli-verify-dice-server = from the server alone
cli-verify-dice-typed = real ones, typed in
cli-verify-table = Table
cli-verify-seat = Seat { $seat }
cli-verify-share-fits = commitment and share fit
cli-verify-share-wrong = commitment and share do not fit
cli-verify-share-withheld = commitment without a share, adds nothing
cli-verify-share-none = no share
cli-verify-seed = Seed
cli-verify-seed-fits = fits its commitment
cli-verify-seed-wrong = does not fit its commitment
cli-verify-seed-hidden = not shown yet
cli-verify-beginning = Beginning
cli-verify-begins = { $name } begins; no dice decided that
cli-verify-begins-derived = { $name } begins, as derived
cli-verify-begins-other = { $name } begins as derived, { $found } by the record
cli-verify-throws = Throws
cli-verify-derived = { $count } as derived
cli-verify-difference = – event { $event }: kept { $keep }, derived { $thrown }, on the table { $recorded }
cli-verify-yes = Verified: every throw follows from seed and shares.
cli-verify-no = Not verified.
cli-verify-no-beginning = Not verified: { $reason }
cli-verify-no-event = Not verified at event { $event }: { $reason }

# --- Backups ---

cli-help-backup = Copy all games into one file, also while they are being played.
cli-help-backup-file = Where the backup goes.
cli-help-backup-force = Replace the file if it is there already.
cli-help-restore = Put a backup in the place of the stored games; no server may be running.
cli-help-restore-file = A file that knobel backup has written.
cli-help-restore-force = Even if games are stored there; they are kept beside it.
cli-backup-file = Backup
cli-backup-database = Database
cli-backup-kept = Before
cli-backup-tables = Tables
cli-backup-events = Events
cli-backup-size = Size
server-backup-nothing = There are no games in { $path } yet.
server-backup-same-file = { $path } belongs to the database itself; a backup needs a file of its own.
server-backup-no-folder = There is no folder { $path }.
server-backup-no-file = { $path } is no ordinary file.
server-backup-exists = { $path } is there already. --force replaces it.
server-backup-log = { $path } belongs to another database of the same name. Move it away, or choose another name.
server-backup-full = There is no room left in { $path }; nothing was changed.
server-backup-failed = { $path } could not be copied to { $place }: { $problem }
server-database-damaged = The database { $path } is damaged: { $problem }
server-restore-no-file = There is no file { $path }.
server-restore-events = The database { $path } holds { $count ->
    [one] one event
   *[other] { NUMBER($count, useGrouping: "always") } events
}. --force puts the backup in its place and keeps it under another name.
server-restore-not-empty = There are games in { $path } already. A backup goes into a new database.
server-restore-unreadable = The database { $path } cannot be read. --force puts the backup in its place and keeps it under another name.
server-restore-open = Another program has the database { $path } open.

# --- Browser: the workshop for house rules ---

workshop-title = Rules of your own
workshop-lead = Change a pad until it is yours, try it, play it, share it.
workshop-own = Rules of your own …
workshop-change = Change these rules …
workshop-start = Start from
workshop-start-choose = choose a pad
workshop-known = house rules { $digest }
workshop-take-back = Back to what was here
workshop-to-setup = To the table
workshop-import = Import TOML
workshop-import-note = A file as knobel exports it, or one written by hand. Nothing here is lost: you can go back.
workshop-import-file = File
workshop-import-text = or its text
workshop-import-use = Use these rules
workshop-export = Export TOML
workshop-link = Copy link
workshop-link-copied = The link is copied. Whoever opens it finds exactly these rules.
workshop-link-here = Here is the link; whoever opens it finds exactly these rules.
workshop-play = Play
workshop-playable = These rules can be played.
workshop-not-yet = Not yet:
workshop-basics = In short
workshop-name-de = Name, German
workshop-name-en = Name, English
workshop-columns-one = One column
workshop-columns-three = Three: × 1, 2, 3
workshop-columns-throws = One for each throw
workshop-columns-add = + Column
workshop-columns-fact = { $columns } columns
workshop-column-remove = Remove column { $column }
workshop-column-special = filled in special rounds only
workshop-factor = Factor
workshop-last-throw = Open until throw
workshop-last-throw-always = always open
workshop-rows = Boxes
workshop-rows-note = Open a box to change it.
workshop-remove = Remove { $name }
workshop-add = Add a box
workshop-box = Box
workshop-kind = What must show
workshop-kind-any = any roll
workshop-kind-groups = alike
workshop-kind-sets = a straight
workshop-kind-total = a sum
workshop-kind-face = one number
workshop-shows-groups = How many alike, e.g. 3 2
workshop-shows-sets = Straights, e.g. 1234 2345
workshop-shows-total = Sum
workshop-shows-face = Number
workshop-exact = nothing else beside it
workshop-pays = Points
workshop-pays-all = all dice
workshop-pays-matched = matching dice
workshop-pays-number = a number
workshop-points = How many
workshop-rule-add = Or else: another rule
workshop-rule-remove = Remove rule
workshop-joker-value = As a joker
workshop-joker-value-note = empty: what the dice show
workshop-alike = All dice alike
workshop-all-equal = Their own box
workshop-paid-in = Paid in
workshop-paid-in-any = any box
workshop-paid-in-upper = the upper box of its number
workshop-extra-columns = In the columns
workshop-extra-columns-all = it must hold in all
workshop-extra-columns-any = one will do
workshop-more = More rules
workshop-ordered = Prescribed order
workshop-tokens = Jokers to spend
workshop-tokens-note = Each player may spend them during a turn of his own.
workshop-effect-restart = starts the turn anew
workshop-effect-helpers = the others throw for you
workshop-uses = How often
workshop-earned = Extra throws for good boxes
workshop-special = A last column for special rounds
workshop-no-strike = Points for a column without a strike
workshop-no-strike-fact = { $points } for a column without a strike
workshop-reroll = Other rolls
workshop-roll = Sample roll { $number }
