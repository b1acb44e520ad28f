# Every sentence that people read, in German. Keys are the same in every catalog.

app-tagline = Würfeln, aufschreiben, tüfteln.

# --- Browser: header, dialogs, settings ---

ui-home = Zur Startseite
ui-close = Schließen
ui-yes = ja
ui-no = nein
ui-language-switch = Sprache: Deutsch. Auf Englisch umschalten
ui-language-short = DE
ui-help = Hilfe zu Tasten
ui-menu = Einstellungen
ui-rules = Regeln dieses Tisches
ui-name-with-seat = { $name } ({ $number })
ui-box-in-column = { $box }, Spalte { $column }
ui-option-value = { $option }: { $value }
ui-list-and = { $first } und { $second }

ui-settings = Einstellungen
ui-settings-note = Gilt für dieses Gerät, nicht für das Spiel.
ui-settings-marks = Ein markierter Würfel …
ui-settings-marks-keep = bleibt liegen
ui-settings-marks-again = fliegt noch einmal
ui-settings-clicks = Eintragen mit …
ui-settings-clicks-1 = einem Klick
ui-settings-clicks-2 = zwei Klicks: ansehen, dann schreiben
ui-settings-pace = Computer spielen …
ui-settings-pace-slow = gemütlich
ui-settings-pace-normal = normal
ui-settings-pace-fast = flott
ui-settings-pace-off = sofort
ui-settings-theme = Licht
ui-settings-theme-auto = wie das Gerät
ui-settings-theme-light = Tag
ui-settings-theme-dark = Lampe
ui-settings-language = Sprache
ui-settings-language-auto = wie der Browser
ui-settings-language-de = Deutsch
ui-settings-language-en = English

ui-keys = Tasten
ui-keys-dice = Würfel 1 bis { $dice } markieren
ui-keys-throw = werfen, oder die Züge der Computer abkürzen
ui-keys-enter = die Vorschau eintragen, sonst werfen
ui-keys-arrows = im Block von Feld zu Feld
ui-keys-escape = Vorschau und Markierungen zurücknehmen
ui-keys-help = diese Hilfe
ui-key-digits = 1–{ $dice }
ui-key-space = Leertaste
ui-key-enter = Eingabe
ui-key-arrows = Pfeile
ui-key-escape = Esc
ui-key-help = ?

# --- Browser: setting up a table ---

ui-setup = Tisch decken
ui-setup-lead = Such dir einen Block aus, setz alle an den Tisch, los.
ui-setup-pads = Welcher Block?
ui-setup-options = Wie wird gespielt?
ui-setup-more-changed = { $count ->
    [0] Weitere Regeln
    [one] Weitere Regeln, eine geändert
   *[other] Weitere Regeln, { $count } geändert
  }
ui-setup-no-options = Dieser Block wird gespielt, wie er gedruckt ist.
ui-setup-no-joker = Die beiden Joker zur Wahl gehören zum klassischen Block.
ui-setup-standard = Standard
ui-setup-reset = Alles auf Standard
ui-setup-needs = Nur mit { $needs }.
ui-setup-need = { $option }: { $values }
ui-setup-or = { $first } oder { $second }
ui-list-order = eigene Reihenfolge
    .help = Bring die Felder in die Reihenfolge, in der gespielt wird.
ui-list-tiebreak = Felder vergleichen
    .help = Bei gleicher Summe entscheidet das erste Feld dieser Liste, dann das nächste.
ui-setup-numbers = Spalte { $number }
ui-setup-a-number = eine Zahl
ui-setup-move-up = { $name } nach oben
ui-setup-move-down = { $name } nach unten
ui-setup-loading = Die Blöcke kommen …
ui-pad-facts = { $dice } Würfel, { $boxes } Felder
ui-pad-bonus = Bonus { $bonus } ab { $threshold }
ui-pad-saved = gesparte Würfe
ui-pad-extra = +{ $points } je weiterem Fünfling
ui-pad-columns = { $columns } Spalten
ui-pad-special = mit Sonderrunden

ui-seats = Wer spielt mit?
ui-seat-name = Name auf Platz { $number }
ui-seat-kind = { $name } ist
ui-seat-person = Mensch
ui-seat-computer = Computer
ui-seat-remove = { $name } vom Tisch nehmen
ui-seat-add-person = Mensch dazu
ui-seat-add-computer = Computer dazu
ui-seat-full = Mehr als { $most } passen nicht an den Tisch.
ui-seat-guest = Gast { $number }
ui-seat-machine = { $number ->
    [1] Computer
   *[other] Computer { $number }
  }
ui-begin = Wer beginnt?
ui-begin-seat = Platz 1
ui-begin-rotate = reihum, jedes Spiel der Nächste
ui-begin-random = das Los
ui-begin-highest-throw = der höchste Wurf
ui-start = Los
ui-starting = Der Tisch wird gedeckt …

ui-tables = Angefangene Spiele
ui-tables-older = Ältere angefangene Spiele
ui-tables-over = Fertige Spiele
ui-tables-none = Noch kein Spiel auf diesem Rechner.
ui-table-resume = Weiterspielen
ui-table-look = Ansehen

# --- Browser: the tray ---

ui-tray = Würfelbrett
ui-turn-throws = { $name } würfelt
ui-turn-to-throw = { $name } ist dran
ui-turn-enters = { $name } schreibt
ui-throw-number = { $throw }. Wurf
ui-throw-before = vor dem 1. Wurf
ui-stays = bleibt
ui-again = nochmal
ui-die = Würfel { $number }: { $value }
ui-die-empty = Würfel { $number }, noch nicht geworfen
ui-throw-first = Würfeln
ui-throw-all = Alle noch einmal würfeln
ui-throw-some = { $count ->
    [one] Einen Würfel noch einmal würfeln
   *[other] { $count } Würfel noch einmal würfeln
  }
ui-throw-none = Würfel markieren oder Feld wählen
ui-throw-none-kept = Feld wählen oder Würfel freigeben
ui-choose-box = Feld wählen
ui-write-preview = Eintragen: { $box } { $points }
ui-skip = Züge abkürzen
ui-watching = { $name } überlegt …
ui-throws-left = { $left ->
    [0] kein Wurf übrig
    [one] ein Wurf übrig
   *[other] { $left } Würfe übrig
  }
ui-throws-left-saved = { $left ->
    [one] ein Wurf übrig
   *[other] { $left } Würfe übrig
  }, davon { $saved } gespart
ui-saved-chip = +{ $saved }
ui-throw-on = Weiter würfeln → { $count ->
    [one] Spalte { $columns }
   *[other] Spalten { $columns }
  }
ui-throw-repeat = Den Wurf wiederholen
ui-throw-help = Für { $owner } würfeln
ui-choose-count = { $count } von { $dice } ausgesucht
ui-choose-take = Diese { $dice } nehmen
ui-pick-box = Feld für alle aussuchen
ui-pick-preview = Für alle: { $box }
ui-turn-repeats = { $name } wiederholt den Wurf
ui-turn-helps = { $name } würfelt für { $owner }
ui-turn-chooses = { $name } sucht Würfel aus
ui-turn-picks = { $name } sucht ein Feld aus
ui-turn-for-box = { $name } würfelt für { $box }
ui-turn-for-box-enters = { $name } schreibt { $box }
ui-ladder = { $throw } von { $most } Würfen
ui-extra-throw = Extrawurf × { $count }
ui-extra-throw-help = Extrawurf: Der Wurf zählt nicht, die Spalten bleiben offen.
ui-extra-throw-none = Einen Extrawurf hast du noch nicht verdient.
ui-extra-throw-later = Ein Extrawurf geht jetzt nicht.
ui-token-sign-wunder = [!ww!]
ui-token-left = { $token }: { $count ->
    [0] verbraucht
    [one] noch da
   *[other] noch { $count }-mal
  }
ui-token-restart = { $token }: Der Wurf ist vergessen, ohne Strich.
ui-token-helpers = { $token }: Alle anderen würfeln mit, du suchst dir die schönsten Würfel aus.
ui-token-sure = Noch ein Klick, und es gilt.
ui-token-used = { $token } ist verbraucht.
ui-token-first = { $token } geht erst nach dem ersten Wurf.
ui-token-later = { $token } geht jetzt nicht.
ui-pool = Würfel zum Aussuchen
ui-pool-of = Würfel von { $name }
ui-pool-die = { $name }, Würfel { $number }: { $value }
ui-hint-help = Leertaste oder Knopf: Deine Würfel fliegen für { $owner }.
ui-hint-choose = Such dir { $dice } Würfel aus: antippen, oder Pfeile und Leertaste.
ui-hint-choose-full = Der Knopf oder die Eingabetaste nimmt sie.
ui-hint-pick = Alle würfeln für das Feld, das du aussuchst.
ui-hint-pick-preview = Noch ein Klick oder die Eingabetaste, und alle würfeln dafür.
ui-hint-repeat = Dieselben Würfel fliegen noch einmal.
ui-hint-or-enter = Oder jetzt eintragen: { $box } bringt { $points }.
ui-hint-first = Leertaste oder Knopf: alle Würfel fliegen.
ui-hint-again = Markierte Würfel fliegen noch einmal.
ui-hint-again-none = Markiere, was noch einmal fliegen soll.
ui-hint-keep = Markierte Würfel bleiben liegen.
ui-hint-keep-all = Alle Würfel bleiben liegen: Schreib sie ein oder gib einen frei.
ui-hint-enter = Der Wurf steht. Schreib ihn in ein freies Feld.
ui-hint-preview = Noch ein Klick oder die Eingabetaste schreibt.
ui-hint-computer = Leertaste kürzt ab.

# --- Browser: the pad ---

ui-pad = Block
ui-pad-tabs = Blöcke
ui-box-free = { $box }: { $points ->
    [one] 1 Punkt
   *[other] { $points } Punkte
  }
ui-box-free-bonus = { $box }: { $points ->
    [one] 1 Punkt
   *[other] { $points } Punkte
  } und { $bonus } Bonus
ui-box-struck = gestrichen
ui-box-barred = nicht möglich
ui-column = Spalte { $column }
ui-column-times = × { $multiplier }
ui-upper = Oben
ui-lower = Unten
ui-total = Gesamt
ui-column-total = Spalte
ui-bonus = Bonus
ui-bonus-terms = { $bonus } ab { $threshold }
ui-bonus-lost = Bonus nicht mehr erreichbar
ui-bonus-lost-short = nicht mehr erreichbar
ui-bonus-reached-later = Bonus erreicht, kommt in der Abrechnung
ui-balance = Bilanz
ui-balance-ahead = { $points } über dem Soll
ui-balance-behind = { $points } unter dem Soll
ui-balance-even = genau im Soll
ui-tokens = Jetons
ui-tokens-terms = je { $points }
ui-tokens-count = { $count ->
    [one] ein Jeton
   *[other] { $count } Jetons
  }
ui-at-end-note = Bonus und Jetons kommen in der Abrechnung dazu.
ui-last-entry = zuletzt geschrieben
ui-column-throw = { $throw ->
    [1] 1. Wurf
   *[other] bis { $throw }. Wurf
  }
ui-column-throw-short = { $throw ->
    [1] 1. Wurf
   *[other] bis { $throw }.
  }
ui-column-special = Sonder
ui-column-passed = für diesen Zug vorbei
ui-note-open = { $throw }. Wurf: { $count ->
    [0] keine Spalte ist mehr offen.
    [one] Nur Spalte { $columns } ist offen.
   *[other] Spalten { $columns } sind offen.
  }
ui-note-before = Der erste Wurf darf in jede freie Spalte.
ui-circle-empty = Extrawurf nicht verdient
ui-circle-earned = Extrawurf verdient
ui-circle-spent = Extrawurf verbraucht
ui-no-strike = kein Strich?
ui-pick-name = { $box } für alle aussuchen
ui-special-tab = Spalte { $column }, alle
ui-special-card = Spalte { $column }
ui-special-card-text = Sonderrunde, sobald jemand in einer Spalte oben { $threshold } erreicht. { $count ->
    [one] Noch ein Feld ist frei.
   *[other] Noch { $count } Felder sind frei.
  }

# --- Browser: special rounds ---

ui-scene-special = Sonderrunde
ui-scene-closing = Schlussrunde
ui-scene-picks = Bonus für { $name }! Ein Feld wird ausgesucht, und alle würfeln dafür.
ui-scene-box = Alle würfeln für { $box }, jeder mit { $throws ->
    [one] einem Wurf
   *[other] { $throws } Würfen
  }.
ui-scene-left = Der Block ist voll. Jetzt wird abgewürfelt, was in Spalte { $column } frei ist: { $box }.
ui-scene-next = Es folgen: { $names }.
ui-scene-more = Dann noch { $count ->
    [one] ein Feld.
   *[other] { $count } Felder.
  }
ui-scene-last = Dann geht das Spiel normal weiter.
ui-scene-end = Danach wird abgerechnet.

ui-strike-title = { $box } streichen?
ui-strike-text = Hier bringt der Wurf nichts. In { $best } wären es { $points ->
    [one] 1 Punkt
   *[other] { $points } Punkte
  }.
ui-strike-yes = Streichen
ui-strike-no = Anderes Feld

# --- Browser: what happened ---

ui-recent = Zuletzt
ui-recent-none = Noch nichts geschrieben.
ui-wrote = schreibt { $box }
ui-struck = streicht { $box }
ui-spent-restart = ruft { $token } an
ui-spent-helpers = bittet alle um Hilfe: { $token }
ui-chose = nimmt { $dice }
ui-picked = sucht für alle aus: { $box }
ui-helped = hilft { $owner } mit { $dice }
ui-extra-thrown = nimmt einen Extrawurf: { $dice }
ui-said-begin = { $name } beginnt.
ui-said-begin-thrown = { $name } beginnt mit dem höchsten Wurf: { $dice }.
ui-said-throw = { $name } wirft { $dice }.
ui-said-enter = { $name } schreibt { $box }: { $points }.
ui-said-enter-bonus = { $name } schreibt { $box }: { $points } und { $bonus } Bonus.
ui-said-strike = { $name } streicht { $box }.
ui-said-spend-restart = { $name } ruft { $token } an.
ui-said-spend-helpers = { $name } bittet alle um Hilfe: { $token }.
ui-said-choose = { $name } nimmt { $dice }.
ui-said-pick = { $name } sucht { $box } für alle aus.
ui-said-help = { $name } würfelt für { $owner }: { $dice }.
ui-said-extra = { $name } nimmt einen Extrawurf: { $dice }.
ui-said-turn = { $turn }.
ui-said-scene-special = Sonderrunde!
ui-said-scene-closing = Schlussrunde!
ui-said-scene-regular = Das Spiel geht normal weiter.
ui-said-over = Das Spiel ist aus.

# --- Browser: settlement ---

ui-settlement = Abrechnung
ui-winner = { $name } gewinnt
ui-winner-alone = Geschafft: { $points } Punkte
ui-winners = { $names }: { $count ->
    [2] beide Erste
   *[other] alle { $count } Erste
  }
ui-rank = Rang
ui-rank-number = { $rank }.
ui-player = Name
ui-new-game = Neues Spiel, gleiche Runde
ui-to-setup = Anderer Tisch

# --- Browser: rules of the table ---

ui-rules-as-printed = Gespielt wird, wie der Block gedruckt ist.
ui-rules-differences = Anders als gedruckt
ui-rules-facts = Eckdaten
ui-rules-dice = Würfel
ui-rules-throws = Würfe je Zug
ui-rules-saved = Gesparte Würfe
ui-rules-saved-yes = Was übrig bleibt, wird gespart
ui-rules-saved-no = Was übrig bleibt, verfällt
ui-rules-bonus = Bonus oben
ui-rules-extra = Weitere Fünflinge
ui-rules-extra-points = je { $points } Punkte
ui-rules-none = keine
ui-rules-columns = Spalten
ui-rules-order = Reihenfolge
ui-rules-order-free = frei
ui-rules-tokens = Joker
ui-rules-earned = Extrawürfe
ui-rules-earned-minima = { $boxes }: ab { $minima }
ui-rules-special = Sonderrunde
ui-rules-special-throws = { $throws ->
    [one] ein Wurf
   *[other] { $throws } Würfe
  }
ui-rules-no-strike = Kein Strich in einer Spalte
ui-rules-rows = Was die Felder zählen
ui-rules-digest = Kennung
ui-rules-throws-chip = { $throws } Würfe

# --- Browser: connection and problems ---

ui-link-connecting = Verbindung wird aufgebaut …
ui-link-waiting = Die Verbindung ist weg. { $seconds ->
    [one] Neuer Versuch in einer Sekunde.
   *[other] Neuer Versuch in { $seconds } Sekunden.
  }
ui-link-retry = Jetzt versuchen
ui-link-protocol = Diese Seite ist älter als das Programm. Bitte neu laden.
ui-reload = Neu laden
ui-unreachable = Das Programm antwortet nicht. Läuft es noch?
ui-broken-answer = Die Antwort war unlesbar.
ui-problem = Das ging nicht ({ $code }).

# --- Browser: playing together at several devices ---

ui-cancel = Abbrechen
ui-copy = Kopieren
ui-copied = Kopiert
ui-share = Teilen …
ui-you = du
ui-host = leitet
ui-there = da
ui-away = nicht da
ui-your-name = Dein Name
ui-your-turn = Du bist dran
ui-span-seconds = { $count ->
    [one] 1 Sekunde
   *[other] { $count } Sekunden
  }
ui-span-minutes = { $count ->
    [one] 1 Minute
   *[other] { $count } Minuten
  }
ui-span-hours = { $count ->
    [one] 1 Stunde
   *[other] { $count } Stunden
  }
ui-span-days = { $count ->
    [one] 1 Tag
   *[other] { $count } Tage
  }
ui-more = Mehr
ui-setup-others = Zu anderen
ui-start-shared = Tisch decken und einladen
ui-pace = Tempo
ui-pace-live = am Stück
ui-pace-live-help = Alle sind gleichzeitig da. Wer länger als eine Minute weg ist, für den spielt der Computer, bis er zurückkommt.
ui-pace-slow = über Tage
ui-pace-slow-help = Jeder spielt, wann er Zeit hat; niemand muss warten.
ui-clock = Bedenkzeit
ui-clock-none = ohne Uhr
ui-clock-turn = { $span } je Zug
ui-clock-short = { $count } s
ui-clock-title = Noch { $span }, dann spielt der Computer
ui-clock-hurry = Noch { $count } Sekunden, dann spielt der Computer für dich.
ui-public = Wer darf kommen?
ui-public-no = nur wer den Code hat
ui-public-yes = offen für alle
ui-dice = Würfel
ui-dice-provable = vom Server, nachprüfbar
ui-dice-provable-help = Nach dem Spiel kann jeder jeden Wurf nachrechnen.
ui-dice-typed = echte Würfel
ui-dice-typed-help = Ihr würfelt selbst und tippt ein, was liegt; das Programm führt den Block.
ui-seat-free = frei
ui-seat-free-name = frei für andere
ui-seat-free-number = Freier Platz { $number }
ui-seat-add-free = Einladen
ui-seats-free = { $count ->
    [one] 1 Platz frei
   *[other] { $count } Plätze frei
  }
ui-gathering = Gleich geht es los
ui-invite = Einladen
ui-invite-code = Code: { $code }
ui-invite-how = Wer den Link öffnet oder diesen Code eingibt, sitzt mit am Tisch.
ui-invite-link = Link zu diesem Tisch
ui-invite-text = Komm zum Würfeln! Der Code ist { $code }.
ui-invite-picture = QR-Code mit dem Link zu diesem Tisch
ui-invite-home = Dieser Link gilt nur auf diesem Rechner. Mit ./knobel serve --lan kommen auch andere Geräte im selben Netz herein.
ui-ready = bereit
ui-not-ready = noch nicht bereit
ui-ready-now = Ich bin bereit
ui-ready-note = Danach beginnt { $name } das Spiel.
ui-unready = Doch noch nicht
ui-sit = Hinsetzen
ui-sit-here = Hier sitzen
ui-watch = Du schaust zu.
ui-watch-free = Du schaust zu. Noch ist ein Platz frei.
ui-watch-full = Du schaust zu. Es ist kein Platz frei.
ui-watchers = { $count ->
    [one] 1 Person schaut zu
   *[other] { $count } Personen schauen zu
  }
ui-wait-for-host = Du bist bereit. { $name } beginnt das Spiel.
ui-start-game = Spiel beginnen
ui-start-late = { $count ->
    [one] { $names } ist noch nicht bereit.
   *[other] { $names } sind noch nicht bereit.
  }
ui-start-alone = Bisher spielst du allein.
ui-start-free = { $count ->
    [one] Der freie Platz fällt beim Beginn weg.
   *[other] Die freien Plätze fallen beim Beginn weg.
  }
ui-mixing = Die Würfel werden gemischt …
ui-hand-over = { $name } die Leitung geben
ui-send-away = { $name } wegschicken
ui-send-away-text = Wer weggeschickt wird, kann an diesem Tisch nicht wieder Platz nehmen, aber zuschauen.
ui-send-away-yes = Wegschicken
ui-close-table = Tisch aufgeben
ui-closed = Diesen Tisch gibt es nicht mehr
ui-closed-text = Er wurde aufgegeben, bevor das Spiel zu Ende war.
ui-leave = Tisch verlassen
ui-leave-title = Den Tisch verlassen?
ui-leave-text = Der Computer spielt für dich weiter. Du kannst jederzeit zurückkommen.
ui-leave-yes = Verlassen
ui-leave-no = Bleiben
ui-stand-in = der Computer spielt
ui-stand-in-left = Du hast den Tisch verlassen; der Computer spielt für dich.
ui-stand-in-away = Du warst weg; der Computer spielt für dich.
ui-stand-in-clock = Die Zeit war um; der Computer spielt für dich.
ui-return = Selbst weiterspielen
ui-watching-away = { $name } ist nicht da …
ui-pad-tab-total = { $total } Punkte
ui-say = Etwas sagen
ui-phrase-hello = Hallo!
ui-phrase-luck = Viel Glück!
ui-phrase-nice = Schön!
ui-phrase-wow = Wahnsinn!
ui-phrase-oops = Hoppla!
ui-phrase-hurry = Du bist dran!
ui-phrase-sorry = Tut mir leid!
ui-phrase-thanks = Danke!
ui-phrase-again = Noch eins?
ui-phrase-bye = Tschüss!
ui-said-phrase = { $name }: „{ $phrase }“
ui-said-substitute-left = { $name } ist gegangen; der Computer spielt weiter.
ui-said-substitute-away = { $name } ist nicht da; der Computer spielt weiter.
ui-said-substitute-clock = Für { $name } ist die Zeit um; der Computer spielt weiter.
ui-said-return = { $name } spielt wieder selbst.
ui-said-close = Der Tisch ist aufgegeben.
ui-said-continue = Es gibt ein neues Spiel.
ui-said-sit = { $name } setzt sich.
ui-said-rise = { $name } steht auf.
ui-said-remove = { $name } ist nicht mehr dabei.
ui-said-host = { $name } leitet jetzt den Tisch.
ui-said-ready = { $name } ist bereit.
ui-next = An diesem Tisch gibt es ein neues Spiel.
ui-next-by = { $name } hat ein neues Spiel begonnen.
ui-next-come = Mitkommen
ui-next-watch = Zuschauen
ui-next-stay = Hier bleiben
ui-record = Aufzeichnung herunterladen
ui-my-tables = Deine Tische
ui-my-tables-waiting = { $count ->
    [0] Deine anderen Tische
    [one] Deine anderen Tische: einer wartet auf dich
   *[other] Deine anderen Tische: { $count } warten auf dich
  }
ui-table-join = Mitspielen
ui-table-gather = Zum Tisch
ui-table-watch = Zuschauen
ui-typed = Augen der echten Würfel
ui-typed-die = Würfel { $number }
ui-typed-left = { $count ->
    [one] Noch 1 Würfel eintippen
   *[other] Noch { $count } Würfel eintippen
  }
ui-typed-enter = Wurf übernehmen
ui-hint-typed = Würfle selbst und tippe die Augen an, oder nimm die Tasten 1 bis 6.

# --- Browser: to other tables ---

join-title = Mit Code mitspielen
join-code = Code des Tisches
join-how = Acht Zeichen; Groß- und Kleinschreibung ist egal.
join-go = Zum Tisch
lobby-title = Offene Tische
lobby-lead = Hier darf sich jeder dazusetzen.
lobby-ruleset = Spiel
lobby-all = alle
lobby-none = Gerade ist kein Tisch offen. Deck selbst einen und öffne ihn für alle: unter „Mehr“.

# --- Browser: who one is ---

me-title = Über dich
me-lan = Diese Verbindung ist nicht verschlüsselt: Wer im selben Netz mitliest, könnte an deiner Stelle spielen. Für zu Hause reicht das.
me-name = Dein Name
me-name-note = So heißt du, wenn du dich an einen Tisch setzt. Kein Konto, kein Kennwort: Dieses Gerät weiß, wer du bist.
me-nobody = Noch kennt dich hier niemand. Ein Name genügt; ein Konto gibt es nicht.
me-save = Sichern
me-saved = Gesichert
me-phrase = Wiederkommen auf einem anderen Gerät
me-phrase-text = Ein paar Wörter bringen deinen Namen, deine Tische und Ergebnisse auf ein anderes Gerät.
me-phrase-make = Neue Wörter zeigen
me-phrase-once = Schreib sie auf: Sie werden nur jetzt gezeigt. Frühere gelten nicht mehr.
me-phrase-noted = Notiert
me-phrase-copy-by-hand = Bitte die Wörter von Hand markieren und kopieren.
me-recover = Ich habe solche Wörter
me-recover-words = Deine Wörter
me-recover-note = Wer dieses Gerät bisher war, wird dabei vergessen.
me-recover-go = Wiederherstellen
me-recovered = Willkommen zurück, { $name }!
me-results = Ergebnisse
me-results-none = Noch kein Spiel zu Ende gespielt.
me-game = Spiel
me-games = gespielt
me-wins = gewonnen
me-best = bestes
me-mean = im Mittel
me-helped = mit Hilfe
me-helped-note = „Mit Hilfe“: Der Computer ist eingesprungen; diese Spiele zählen sonst nicht mit.
me-history = Gespielte Partien
me-dice = Deine Würfel
me-dice-none = Noch hast du an keinem Tisch gewürfelt, dessen Würfel sich nachprüfen lassen.
me-dice-count = { $dice } Würfel in { $throws } Würfen an { $tables ->
    [one] einem Tisch
   *[other] { $tables } Tischen
  }.
me-dice-line = Gestrichelt: so viele wären im Mittel zu erwarten.
me-dice-few = Für ein Urteil sind es noch zu wenige Würfel.
me-dice-tests = Die Prüfungen im Einzelnen
me-dice-honest = Ein Wert p sagt, wie oft ehrliche Würfel mindestens so ungewöhnlich fallen. Auch ehrliche Würfel fallen ab und zu ungewöhnlich; wer nach jedem Spiel nachsieht, wird es erleben.
me-test-faces = Kommt jede Zahl gleich oft?
me-test-pairs = Hängt ein Wurf vom vorigen ab?
me-test-runs = Wechseln hoch und niedrig wie sie sollen?
me-test-p = p = { $p }
me-test-missing = { $count ->
    [one] noch 1 Würfel fehlt
   *[other] noch { $count } Würfel fehlen
  }

# --- Browser: dice that everybody can check ---

fair-link = Würfel nachprüfen
fair-title = Waren die Würfel ehrlich?
fair-back = Zurück zum Tisch
fair-verdict-right = Ja: Jeder Wurf stimmt
fair-verdict-right-text = Dein Browser hat { $count ->
    [one] einen Wurf
   *[other] { $count } Würfe
  } gerade selbst nachgerechnet, mit { $shares ->
    [0] dem Geheimnis des Servers allein: Niemand hat einen eigenen Anteil dazugegeben
    [one] einem Anteil aus der Runde
   *[other] { $shares } Anteilen aus der Runde
  }.
fair-verdict-wrong = Nein: Etwas stimmt nicht
fair-verdict-wrong-text = Was hier steht, passt nicht zu dem, was vor dem Spiel versiegelt wurde ({ $count } Würfe, { $shares } Anteile). Unten ist es rot.
fair-first-wrong = Und es hat jemand anderes begonnen, als die Würfel entschieden haben.
fair-verdict-open = Noch nicht zu sagen
fair-verdict-open-text = Das Geheimnis des Servers wird am Ende des Spiels gezeigt; dann lässt sich jeder Wurf nachrechnen ({ $count } bisher, { $shares } Anteile).
fair-verdict-typed = Echte Würfel
fair-verdict-typed-text = An diesem Tisch wurden echte Würfel geworfen und eingetippt ({ $count } Würfe). Sie lassen sich nicht nachrechnen; dafür haben alle zugesehen. Anteile: { $shares }.
fair-how = Wie es zugeht
fair-step-seed = Vor dem Spiel denkt sich der Server ein Geheimnis aus und zeigt dessen Siegel. Ändern kann er es danach nicht mehr.
fair-step-shares = Das Gerät jeder Person denkt sich einen Anteil aus und zeigt ebenfalls erst nur das Siegel.
fair-step-open = Erst wenn alle Siegel da sind, werden die Anteile geöffnet. Keiner konnte sich nach den anderen richten.
fair-step-throws = Jeder Wurf wird aus dem Geheimnis, allen Anteilen und seiner Nummer berechnet. Niemand kann ihn wählen, auch der Server nicht.
fair-step-end = Am Ende zeigt der Server sein Geheimnis, und jeder rechnet nach.
fair-exchanged = Was ausgetauscht wurde
fair-server = Server
fair-sealed = Siegel
fair-secret = Geheimnis
fair-seed-later = wird am Ende gezeigt
fair-share-computer = Computer geben keinen Anteil
fair-share-none = kein Anteil
fair-fits = passt zum Siegel
fair-fits-not = passt nicht zum Siegel
fair-formula = Siegel: SHA-256 der 32 Bytes. Würfe: HMAC-SHA-256 mit dem Geheimnis des Servers über Tisch { $table }, Anteile, Ereignis und Blocknummer.
fair-throws = { $count ->
    [one] Ein Wurf
   *[other] Alle { $count } Würfe
  }
fair-event = Ereignis
fair-beginning = Beginn
fair-faces = Augen
fair-check = Nachgerechnet
fair-same = gleich
fair-other = heraus kommt { $faces }
fair-yourself = Ohne diese Seite nachrechnen
fair-yourself-text = Auch dieser Seite muss niemand glauben: Die Aufzeichnung des Spiels enthält alles, und jeder Rechner mit knobel prüft sie.

# --- Why this number, and what to do: reasons of the rules core ---

how-all = alle Augen
how-matched = passende Augen
how-number = { $points }
duty-throw = würfeln
duty-throw-or-enter = weiter würfeln oder eintragen
duty-enter = eintragen
duty-again = den Wurf wiederholen, { $keep } bleibt liegen
duty-help = helfen: alle Würfel werfen
duty-choose = Würfel aussuchen
duty-pick = Feld für die Sonderrunde aussuchen
why-rule-all = Das Muster liegt: alle Augen zählen, { $points }.
why-rule-matched = Nur die passenden Würfel zählen: { $points }.
why-rule-number = Das Muster liegt: feste { $points } Punkte.
why-no-match = Der Wurf passt nicht zu { $category }.
why-joker-value = Joker: Hier zählt er { $points }.
why-joker-forced-upper = Joker: Dieser Fünfling muss in { $box }.
why-joker-forced-lower = Joker: Erst muss ein freies Feld unten gefüllt werden.
why-joker-zero = Joker: Unten ist alles voll, oben bleibt nur ein Strich.
why-order = Feste Reihenfolge: Jetzt ist { $box } dran.
why-extra-five = Weiterer Fünfling: { $points } dazu.
why-joker-not-yet = Joker: Voll zählt er hier erst, wenn { $box } gefüllt ist.
why-must-strike = Keine offene Spalte hat noch ein freies Feld: Hier geht nur ein Strich.
why-special-box = Sonderrunde: Gewürfelt wird für { $box }.
why-special-column = Diese Spalte ist den Sonderrunden vorbehalten.
why-column-passed = Nach { $throws ->
    [one] einem Wurf
   *[other] { $throws } Würfen
  } ist Spalte { $column } nicht mehr offen.

# --- Options (RULES 8.4): name, value in a word or two, .help spells out the difference ---

option-joker = Joker
    .help = Was mit einem weiteren Fünfling geschieht, wenn dessen Feld schon gefüllt ist.
option-joker-none = keiner
    .help = Ein weiterer Fünfling zählt nur, was daliegt. Full House und Straßen bringen mit ihm 0.
option-joker-forced = vorgeschrieben
    .help = Er muss oben in das Feld seiner Zahl. Ist das voll, zählt er unten überall: Full House 25, Straßen 30 und 40.
option-joker-free = freie Wahl
    .help = Jedes freie Feld ist erlaubt. Full House und Straßen zählen voll, wenn oben das Feld seiner Zahl schon gefüllt ist.
option-extra-five = Weitere Fünflinge
    .help = Wann es für einen weiteren Fünfling Extrapunkte gibt.
option-extra-five-box-has-50 = wenn im Feld 50 steht
    .help = Extrapunkte gibt es nur, solange im Fünflingsfeld die 50 steht, nicht nach einem Strich.
option-extra-five-any-after-first = jeder nach dem ersten
    .help = Jeder Fünfling nach dem ersten zählt, egal wo er eingetragen wird.
option-extra-five-box-filled = wenn das Feld gefüllt ist
    .help = Extrapunkte gibt es, sobald das Fünflingsfeld gefüllt ist, auch nach einem Strich.
option-extra-five-none = nichts extra
    .help = Ein weiterer Fünfling bringt keine Extrapunkte.
option-extra-five-points = Punkte je weiterem Fünfling
    .help = Wird zusätzlich zum Feld gutgeschrieben und zählt nicht für den Bonus oben.
option-five-equal-full-house = Fünfling als Full House
    .help = Fünf Gleiche dürfen auch als Full House geschrieben werden.
option-four-equal-two-pairs = Vierling als zwei Paare
    .help = Vier Gleiche gelten auch als zwei Paare. Sonst müssen die Paare verschieden sein.
option-upper-bonus = Bonus oben
    .help = Punkte für eine gute obere Hälfte.
option-upper-threshold = Grenze für den Bonus
    .help = So viele Punkte braucht die obere Hälfte für den Bonus.
option-bonus-shown = Bonus sichtbar
    .help = Wann Bonus und Jetons in der laufenden Summe stehen. Am Ergebnis ändert das nichts.
option-bonus-shown-at-once = sofort
    .help = Bonus und Extrapunkte stehen in der Summe, sobald sie verdient sind.
option-bonus-shown-at-end = erst am Schluss
    .help = Die laufende Summe zeigt nur die Felder. Bonus und Jetons kommen in der Abrechnung.
option-full-straight-points = Punkte der vollen Straße
    .help = 21 sind die Augen von 1 bis 6, 30 eine runde Zahl.
option-saved-throws = Würfe sparen
    .help = Nicht gebrauchte Würfe bleiben für spätere Züge. Sonst verfallen sie.
option-columns = Spalten
    .help = Wie viele Spalten jeder Block hat.
option-columns-1 = eine
    .help = Jedes Feld gibt es einmal.
option-columns-3 = drei
    .help = Dreifacher Block: Jedes Feld gibt es dreimal, das Spiel dauert dreimal so lang.
option-multipliers = Faktoren der Spalten
    .help = Womit jede Spalte samt Bonus malgenommen wird.
option-triple-bonus-when = Extrapunkte im Dreifachblock
    .help = Wann weitere Fünflinge im dreifachen Block Extrapunkte bringen.
option-triple-bonus-when-all-50 = alle drei 50
    .help = Erst wenn in allen drei Spalten 50 im Fünflingsfeld steht.
option-triple-bonus-when-any-50 = eine 50 genügt
    .help = Schon wenn in einer Spalte 50 im Fünflingsfeld steht.
option-triple-bonus-multiplied = Extrapunkte malnehmen
    .help = Extrapunkte werden mit dem Faktor der Spalte malgenommen, in die der Wurf kommt.
option-order = Reihenfolge
    .help = Ob du das Feld wählst oder der Block es vorgibt.
option-order-free = frei
    .help = Jeder Wurf darf in jedes freie Feld.
option-order-down = von oben nach unten
    .help = Der Block gibt das Feld vor, Zeile für Zeile. Du entscheidest nur über die Würfe.
option-order-up = von unten nach oben
    .help = Wie von oben nach unten, nur umgekehrt.
option-order-lower-first = erst unten
    .help = Erst die untere Hälfte, dann die obere.
option-order-random = ausgelost
    .help = Eine geloste Reihenfolge, für alle dieselbe.
option-order-seed = Losnummer
    .help = Dieselbe Nummer ergibt dieselbe Reihenfolge.
option-order-scope = Reihenfolge in drei Spalten
    .help = Wie die Reihenfolge durch die Spalten läuft.
option-order-scope-column-major = Spalte für Spalte
    .help = Erst die erste Spalte ganz, dann die zweite, dann die dritte.
option-order-scope-per-column = Spalte frei
    .help = Du wählst die Spalte, in ihr ist das nächste Feld vorgegeben.
option-order-scope-row-major = Zeile für Zeile
    .help = Jede Zeile durch alle Spalten, dann die nächste Zeile.
option-tiebreak = Bei Gleichstand
    .help = Wer bei gleicher Summe vorn liegt.
option-tiebreak-shared = geteilter Rang
    .help = Wer gleich viele Punkte hat, teilt sich den Rang.

# --- Options of Acht, Mann! (RULES 8.4) ---

option-five-kind-points = Punkte des Fünferpaschs
    .help = Für fünf Gleiche im eigenen Feld.
option-pothole-points = Punkte der Schlaglochstraße
    .help = Üblich ist ein Wert zwischen kleiner und großer Straße.
option-empty-house-points = Punkte des leeren Hauses
    .help = Eine feste Zahl oder die Summe aller Augen.
option-empty-house-points-sum = alle Augen
    .help = Das leere Haus zählt, was daliegt.
option-extra-grant = Extrawurf verdienen
    .help = Was es in einer Spalte für einen Extrawurf braucht.
option-extra-grant-both = beide zusammen
    .help = Alle diese Felder einer Spalte müssen ihre Mindestpunkte erreichen, zusammen bringen sie einen Extrawurf.
option-extra-grant-each = jedes für sich
    .help = Jedes dieser Felder bringt mit seinen Mindestpunkten einen Extrawurf für sich.
option-extra-grant-either = eines genügt
    .help = Eines dieser Felder genügt; mehr als einen Extrawurf gibt es je Spalte nicht.
option-extra-minima = Mindestpunkte je Spalte
    .help = So viele Punkte muss ein Feld in der ersten, zweiten … Spalte bringen, damit es für einen Extrawurf zählt.
option-extra-mode = Wirkung des Extrawurfs
    .help = Was ein Extrawurf mit den offenen Spalten macht.
option-extra-mode-keeps-column = die Spalten bleiben
    .help = Ein Extrawurf wird nicht mitgezählt: Dieselben Spalten bleiben offen. Er ist jederzeit möglich, auch nach dem letzten Wurf.
option-extra-mode-same-column = nur diese Spalte
    .help = Nach einem Extrawurf muss das Ergebnis in die Spalte, bei deren Wurf man gerade ist.
option-extra-mode-after-fifth = nur zum Schluss
    .help = Ein Extrawurf ist erst möglich, wenn alle gewöhnlichen Würfe verbraucht sind.
option-extra-max-per-turn = Extrawürfe je Zug
    .help = So viele sind in einem Zug höchstens erlaubt; 0 heißt beliebig viele.
option-jokers-in-special = Joker in Sonderrunden
    .help = Auch beim Würfeln für die Sonderspalte darf man Joker und Extrawürfe einsetzen.
option-samuel-mode = Samuel
    .help = Was ein Ruf nach Samuel ungeschehen macht.
option-samuel-mode-turn = den ganzen Zug
    .help = Der Zug beginnt von vorn: alle Würfel, erster Wurf.
option-samuel-mode-throw = den letzten Wurf
    .help = Nur der letzte Wurf wird wiederholt; was davor liegen blieb, bleibt liegen.
option-wunder-pool = Würfel des Würfelwunders
    .help = Aus welchen Würfeln man beim Würfelwunder wählt.
option-wunder-pool-own-and-helpers = eigene und fremde
    .help = Man wählt aus den eigenen Würfeln und denen aller Mitspieler.
option-wunder-pool-helpers = nur fremde
    .help = Man wählt allein aus den Würfeln der Mitspieler.
option-solo-helpers = Würfelwunder allein
    .help = Wer allein spielt, wirft beim Würfelwunder so oft für gedachte Helfer. Bei 0 gibt es dann kein Würfelwunder.
option-overthrow = Wurf ohne freies Feld
    .help = Was gilt, wenn nach dem nächsten Wurf in keiner offenen Spalte mehr ein Feld frei wäre.
option-overthrow-forbid = verboten
    .help = Ein Wurf, nach dem in keiner offenen Spalte mehr ein Feld frei wäre, ist nicht erlaubt.
option-overthrow-strike-any = erlaubt, aber Strich
    .help = Auch ein Wurf, nach dem in keiner offenen Spalte mehr ein Feld frei ist, ist erlaubt. Danach muss irgendein freies Feld gestrichen werden.
option-bonus-trigger = Auslöser der Sonderrunde
    .help = Wann ein Bonus das Spiel unterbricht.
option-bonus-trigger-sum = die Summe ist erreicht
    .help = Unterbrochen wird, sobald die oberen Felder einer Spalte die Grenze für den Bonus erreichen.
option-bonus-trigger-complete = oben ist alles voll
    .help = Unterbrochen wird erst, wenn dazu alle oberen Felder der Spalte gefüllt sind.
option-special-order = Reihenfolge der Sonderrunde
    .help = Wer in einer Sonderrunde zuerst würfelt.
option-special-order-bonus-first = wer den Bonus hat
    .help = In der Sonderrunde würfelt zuerst, wer den Bonus geholt hat, dann die anderen reihum.
option-special-order-seat = wer das Spiel begann
    .help = In der Sonderrunde würfelt zuerst, wer das Spiel begonnen hat, dann die anderen reihum.
option-special-throws = Würfe in der Sonderspalte
    .help = So viele Würfe hat ein Zug in der Sonderspalte.
option-special-bonus-triggers = Bonus der Sonderspalte zählt
    .help = Auch ein Bonus in der Sonderspalte löst eine Sonderrunde aus.
option-special-last = Aufgehobenes Feld
    .help = Welches Feld der Sonderspalte bis zum Schluss frei bleibt.
option-special-last-bottom = das unterste
    .help = Das unterste Feld der Sonderspalte darf niemand wählen, es wird als Allerletztes gewürfelt.
option-special-last-any = was übrig bleibt
    .help = Jedes Feld der Sonderspalte darf gewählt werden, bis nur noch eines frei ist.
option-final-order = Ausspielen am Ende
    .help = Wie die übrigen Felder der Sonderspalte zum Schluss gewürfelt werden.
option-final-order-rows = Zeile für Zeile
    .help = Zum Schluss würfeln alle für dieselbe Zeile, dann für die nächste, von oben nach unten.
option-final-order-players = Spieler für Spieler
    .help = Zum Schluss füllt erst einer alle seine übrigen Felder, dann der nächste.
option-no-strike-points = Punkte für „kein Strich?“
    .help = Für eine volle Spalte mit Bonus und ohne jede 0.
option-no-strike-columns = „Kein Strich?“ gilt in
    .help = Welche Spalten diese Punkte bekommen können.
option-no-strike-columns-all = allen Spalten
    .help = „Kein Strich?“ gibt es in jeder Spalte, auch in der Sonderspalte.
option-no-strike-columns-regular = den gewöhnlichen Spalten
    .help = „Kein Strich?“ gibt es nicht in der Sonderspalte.

# --- Rules pages: headings ---

rules-page-title = Spielregeln
rules-page-lead = Was jedes Spiel ausmacht, Feld für Feld. Alle Beispiele rechnet das Programm selbst aus.
rules-page-contents = Inhalt
rules-page-boxes = Die Felder
rules-page-boxes-lead = Stehen mehrere Regeln da, zählt die erste, die passt. Die Beispiele gelten auf einem leeren Block.
rules-page-contrast = Standard gegen dieses Spiel
rules-page-options = Optionen
rules-page-options-lead = Was jede Option ändert, Zeile für Zeile gegen den Standard und mit Zahlen.
rules-page-history = Geschichte
rules-page-rule = Regel
rules-page-standard = Standard
rules-page-this = So
rules-page-classic = Klassischer Block
rules-page-default = Standard: { $value }
rules-page-value = { $option }: { $value }
rules-page-now = Jetzt gewählt: { $value }
rules-page-roll = Wurf
rules-page-given = Gegeben
rules-page-answer = Dann gilt
rules-page-nothing = –
rules-page-print = Drucken
rules-page-all = Alle Spielregeln
rules-page-more = Alle Regeln mit Beispielen
rules-page-about-pad = { $ruleset }: Regeln mit Beispielen, in einem neuen Tab
rules-page-about-option = { $option } erklärt, in einem neuen Tab
rules-page-changed = Mit diesen Optionen
rules-example-best = das Höchste
rules-example-typical = zum Beispiel
rules-example-near = knapp daneben
rules-example-zero = nichts
rules-part-turn = Ein Zug
rules-part-upper = Der Bonus oben
rules-part-extra = Weitere Fünflinge
rules-part-joker = Der Joker
rules-part-saved = Gesparte Würfe
rules-part-columns = Die Spalten
rules-part-order = Die Reihenfolge
rules-part-tokens = Joker zum Einsetzen
rules-part-earned = Extrawürfe
rules-part-special = Sonderrunden und Schluss
rules-part-clean = Kein Strich?

# --- Rules pages: what a game is, and how a turn goes ---

rules-about-classic = Fünf Würfel, 13 Felder, drei Würfe je Zug. Oben sammelst du Einser bis Sechser, unten Päsche, Full House, Straßen und fünf Gleiche. Wer mag, spielt den Block dreifach, in fester Reihenfolge oder mit einem der beiden Joker.
rules-about-kniffel-2003 = So wertete ein kleines Computerspiel auf einer privaten Seite im Jahr 2003: Fünf Gleiche sind auch ein Full House, jeder weitere Kniffel bringt einen Jeton, und abgerechnet werden Bonus und Jetons erst am Schluss.
rules-about-kniffel-schmidt = Der klassische Block nach der Regel des deutschen Verlags. Ist das Kniffelfeld gefüllt, muss ein weiterer Kniffel oben in das Feld seiner Zahl und bringt dort 50 Punkte dazu. Ist auch das gefüllt, zählt er unten als Joker, aber ohne Extrapunkte.
rules-about-yatzy = Der nordische Block mit 15 Feldern. Auch ein Paar und zwei Paare sind etwas wert, und die meisten Felder zählen nur die Würfel, die sie bilden. Joker gibt es keine, und ein zweiter Yatzy bringt nichts extra.
rules-about-six-dice = Das große nordische Spiel: sechs Würfel, 20 Felder, und was du in einem Zug nicht wirfst, hast du in einem späteren. Wer früh aufhört, kann sich die Würfe für die schweren Felder aufheben.
rules-about-acht-mann = Ein Blatt mit sechs Spalten. Wer mit dem ersten Wurf zufrieden ist, darf überall eintragen; mit jedem weiteren schließt sich vorn eine Spalte. Dazu kommen Samuel, das Würfelwunder, verdiente Extrawürfe und Sonderrunden, die das Spiel mittendrin unterbrechen. Und wer genau acht Augen wirft, bekommt 80 Punkte.
rules-turn = Du wirfst alle { $dice } Würfel. Danach darfst du beliebig viele davon noch einmal werfen, insgesamt bis zu { $throws } Mal. Auch ein Würfel, der schon lag, darf wieder mit.
rules-turn-enter = Am Ende des Zugs kommt der Wurf in genau ein freies Feld. Passt er dort nicht, ist das ein Strich: Das Feld zählt 0. Was steht, bleibt stehen.
rules-turn-end = Das Spiel ist aus, wenn alle { $boxes } Felder jedes Spielers gefüllt sind. Die höchste Summe gewinnt.
rules-saved = Jeder Wurf, den du in einem Zug nicht brauchst, kommt zu deinem Vorrat. In jedem späteren Zug darfst du daraus zusätzlich werfen. Ein Wurf je Zug muss sein; am Ende ist der Rest wertlos.

# --- Rules pages: the rows of a comparison ---

rules-row-dice = Würfel
rules-row-throws = Würfe
rules-row-pad = Block
rules-row-columns = Spalten
rules-row-groups = Paare und Päsche
rules-row-sets = Straßen
rules-row-equal = Alle Würfel gleich
rules-row-others = Übrige Felder
rules-row-upper = Bonus oben
rules-row-joker = Joker
rules-row-order = Reihenfolge
rules-row-tokens = Joker zum Einsetzen
rules-row-earned = Extrawürfe
rules-row-special = Sonderrunden
rules-row-clean = Kein Strich?
rules-row-shown = Laufende Summe
rules-row-tie = Gleichstand
rules-row-habits = Bedienung
rules-row-options = Weitere Optionen
rules-dice = { $dice ->
    [5] Fünf Würfel.
    [6] Sechs Würfel.
   *[other] { $dice } Würfel.
  }
rules-throws = Bis zu { $throws } Würfe je Zug. Was davon übrig bleibt, verfällt.
rules-throws-saved = Bis zu { $throws } Würfe je Zug, dazu alle, die in früheren Zügen übrig geblieben sind. Wer früh aufhört, behält den Rest für später.
rules-pad = { $boxes } Felder, also { $boxes } Runden.
rules-pad-columns = { $count } Zeilen in { $columns } Spalten: { $boxes } Felder.
rules-pad-rows = { $rows }.
rules-columns-plain = { $columns } Spalten, die gleich viel zählen.
rules-columns-factors = Die Spalten zählen { $factors }, jede samt ihrem Bonus.
rules-columns-throws = Nach dem ersten Wurf eines Zugs sind die Spalten 1 bis { $columns } offen, nach dem zweiten nur noch ab 2, und so weiter: Jeder Wurf schließt die vorderste. Ein früher Wurf darf auch weiter hinten stehen.
rules-columns-throw = Spalte { $column } ist offen bis zum { $throws }. Wurf eines Zugs.
rules-upper = { $bonus } Punkte, wenn die oberen Felder zusammen { $threshold } erreichen.
rules-upper-hits = Das sind { $hits } von jeder Zahl.
rules-upper-none = Keiner.
rules-extra-points = Ein weiterer Fünfling bringt { $points } Punkte zusätzlich zu seinem Feld.
rules-extra-none = Weitere bringen nichts extra.
rules-extra-upper = Die Extrapunkte gibt es nur im oberen Feld seiner Zahl.
rules-extra-multiplied = Sie werden mit dem Faktor der Spalte malgenommen, in die der Wurf kommt.
rules-extra-plain = Der Faktor der Spalte gilt für sie nicht.
rules-order-fixed = Der Block gibt das Feld vor: { $rows }.
rules-token-restart = { $token } ({ $uses ->
    [one] einmal im Spiel
   *[other] { $uses }-mal im Spiel
  }): Du brichst ab, ohne einen Strich zu machen.
rules-token-helpers = { $token } ({ $uses ->
    [one] einmal im Spiel
   *[other] { $uses }-mal im Spiel
  }): Alle Mitspieler werfen einmal ihre Würfel für dich, du suchst dir die besten aus und trägst sofort ein.
rules-token-alone = Wer allein spielt, wirft dafür { $throws ->
    [one] einmal
   *[other] { $throws }-mal
  } selbst.
rules-token-not-alone = Allein geht das nicht.
rules-earned = Extrawürfe verdienst du mit { $rows }. Mindestens nötig sind, Spalte für Spalte, { $minima } Punkte.
rules-earned-most = In einem Zug höchstens { $most }.
rules-special = Die letzte Spalte wird nur in Sonderrunden gefüllt: Wer einen Bonus holt, wählt dort ein Feld, und alle würfeln dafür, mit bis zu { $throws } Würfen. Was am Ende frei ist, wird ausgespielt.
rules-special-jokers = Joker und Extrawürfe gelten auch dort.
rules-special-no-jokers = Joker und Extrawürfe gelten dort nicht.
rules-special-own-bonus = Auch ein Bonus in dieser Spalte löst eine Sonderrunde aus.
rules-special-no-own-bonus = Ein Bonus in dieser Spalte zählt, löst aber keine Sonderrunde aus.
rules-no-strike = { $points } Punkte für eine volle Spalte, die den Bonus hat und nirgends eine 0.
rules-tie = Bei gleicher Summe wird verglichen: { $rows }.
rules-habit-marks-keep = Ein markierter Würfel bleibt liegen.
rules-habit-marks-again = Ein markierter Würfel fliegt noch einmal.
rules-habit-balance-below = Die Bilanz gegen das Soll steht unter den oberen Feldern.
rules-habit-balance-beside = Die Bilanz gegen das Soll steht auch links neben den oberen Feldern.
rules-options-all = Dreifach, feste Reihenfolge und die beiden Joker.
rules-options-joker = Die beiden Joker.
rules-options-triple = Dreifach und feste Reihenfolge gehen auch hier. Die Joker zur Wahl gehören zum klassischen Block und gelten nicht.
rules-options-order = Die feste Reihenfolge geht auch hier. Die Joker zur Wahl gehören zum klassischen Block.
rules-options-none = Weder Dreifach noch feste Reihenfolge. Die Joker zur Wahl gehören zum klassischen Block.

# --- Rules pages: what must lie, and what it brings ---

rules-pattern-face = jeder Würfel mit { $face }
rules-groups-2 = zwei Gleiche
rules-groups-2-2 = zwei Paare aus verschiedenen Zahlen
rules-groups-2-2-2 = drei Paare aus verschiedenen Zahlen
rules-groups-3 = drei Gleiche
rules-groups-4 = vier Gleiche
rules-groups-5 = fünf Gleiche
rules-groups-6 = sechs Gleiche
rules-groups-3-2 = drei einer Zahl und zwei einer anderen
rules-groups-3-3 = zweimal drei Gleiche, verschiedene Zahlen
rules-groups-4-2 = vier einer Zahl und zwei einer anderen
rules-pattern-groups = { $groups } Gleiche, jede Gruppe mit einer anderen Zahl
rules-pattern-groups-exact = genau { $groups } Gleiche, nicht mehr
rules-pattern-two-pairs-only = genau zwei Paare, der fünfte Würfel zeigt etwas anderes
rules-pattern-run = { $length } in Folge
rules-pattern-set = { $dice }
rules-pattern-one-of = eines von { $dice }
rules-pattern-total = zusammen genau { $total } Augen
rules-pattern-any = jeder Wurf
rules-pattern-joker = als Joker
rules-points-all = alle Augen
rules-points-matched = die Augen dieser Würfel
rules-points-number = { $points ->
    [one] 1 Punkt
   *[other] { $points } Punkte
  }

# --- Rules pages: the jokers, row by row ---

rules-joker-row-when = Wann er gilt
rules-joker-row-forced = Vorgeschrieben: wohin
rules-joker-row-free = Freie Wahl: wohin
rules-joker-row-brings = Was er bringt
rules-joker-row-bonus = Bonus
rules-joker-row-others = Andere Optionen
rules-joker-never = Nie. Ein weiterer Fünfling ist ein Wurf wie jeder andere.
rules-joker-when = Bei fünf Gleichen, sobald das Feld für fünf Gleiche gefüllt ist, ob mit 50 oder mit einem Strich.
rules-joker-anywhere = In jedes freie Feld.
rules-joker-forced-where = Oben in das Feld seiner Zahl, solange es frei ist. Sonst in jedes freie Feld unten. Ist auch unten alles voll: als 0 in ein freies Feld oben.
rules-joker-free-where = In jedes freie Feld, so wie ohne Joker.
rules-joker-dice = Nur das, was die Würfel zeigen:
rules-joker-full = Den vollen Wert, wenn oben das Feld seiner Zahl gefüllt ist. Die übrigen Felder zählen wie sonst:
rules-joker-bonus = Jeder weitere Fünfling bringt { $points } extra, solange im Feld für fünf Gleiche die 50 steht.
rules-joker-bonus-same = Daran ändert ein Joker nichts: { $points } bei einer 50, nichts nach einem Strich.
rules-joker-no-pad = So wird jeder Block gespielt.
rules-joker-classic = Die Joker gehören zum klassischen Block, auf anderen stehen sie nicht zur Wahl.
rules-joker-triple = Bei Dreifach gilt ein Joker erst, wenn alle drei Felder für fünf Gleiche gefüllt sind. Seinen vollen Wert hat er, wenn das Feld seiner Zahl in allen drei Spalten gefüllt ist.
rules-joker-order = Bei fester Reihenfolge nennt sie das Feld.

# --- Rules pages: worked cases ---

rules-given-holds = In { $box } steht { $points }.
rules-given-struck = { $box } ist gestrichen.
rules-given-open = { $box } ist noch frei.
rules-given-filled = { $box } ist gefüllt.
rules-given-free = Frei: { $rows }.
rules-given-free-boxes = Frei: { $boxes }.
rules-given-fives = Ein Fünfling wurde schon anderswo eingetragen.
rules-given-upper = Oben stehen { $values }.
rules-given-one-throw = In jedem Zug wird nur einmal geworfen, dann eingetragen.
rules-given-columns = Jede Spalte bringt für sich { $points }, Bonus eingeschlossen.
rules-given-boxes = Gefüllt: { $boxes }.
rules-given-new = Ein leerer Block.
rules-given-tie = Anna und Ben haben je { $points } Punkte: Anna 24 in { $box } und 18 in { $category }, Ben umgekehrt.
rules-given-throws = Nach { $throws ->
    [one] einem Wurf
   *[other] { $throws } Würfen
  }.
rules-given-full-column = Spalte { $column } ist voll.
rules-given-extras = Nach { $throws } Würfen und { $extras ->
    [one] einem Extrawurf
   *[other] { $extras } Extrawürfen
  }; ein weiterer ist noch verdient.
rules-given-restart = Nach { $throws } Würfen, zuletzt blieb { $keep } liegen. Jetzt { $token }.
rules-given-players = { $players ->
    [one] Einer spielt allein.
   *[other] { $players } spielen mit.
  }
rules-given-special = Ein Zug für { $box } in der Sonderspalte.
rules-given-bonus-open = Oben stehen { $sum } Punkte, mehrere obere Felder sind noch frei. In { $box } kommen { $points } dazu.
rules-given-bonus-whole = Oben stehen { $sum } Punkte, nur ein oberes Feld ist noch frei. In { $box } kommen { $points } dazu.
rules-given-round = { $players } spielen mit. Platz { $seat } hat den Bonus und wählt { $box }; Platz 1 hat das Spiel begonnen.
rules-given-closing = Zwei spielen mit, alles andere ist voll. Frei: { $boxes }.
rules-given-column = Spalte { $column }, von oben nach unten: { $values }.
rules-shows-barred = { $box }: nicht erlaubt
rules-shows-entry = { $box }: { $points }
rules-shows-entry-bonus = { $box }: { $points } und { $bonus } extra
rules-shows-upper = Summe { $sum }, Bonus { $bonus }, zusammen { $points }
rules-shows-running = laufende Summe { $points }
rules-shows-throws = { $turn }. Zug: bis zu { $throws } Würfe
rules-shows-total = gesamt { $points }
rules-shows-free-choice = { $boxes } Felder zur Wahl
rules-shows-legal = erlaubt: { $boxes }
rules-shows-ranks = Anna Rang { $first }, Ben Rang { $second }
rules-shows-columns = offene Spalten: { $columns }
rules-shows-left = { $throws ->
    [0] kein Wurf übrig
    [one] noch ein Wurf
   *[other] noch { $throws } Würfe
  }
rules-shows-earned = { $throws ->
    [0] kein Extrawurf
    [one] ein Extrawurf
   *[other] { $throws } Extrawürfe
  }
rules-shows-extra = ein Extrawurf ist möglich
rules-shows-no-extra = kein Extrawurf möglich
rules-shows-next-throw = weiter mit dem { $throw }. Wurf, { $dice ->
    [one] ein Würfel fliegt
   *[other] { $dice } Würfel fliegen
  }
rules-shows-pool = { $dice } Würfel zur Auswahl
rules-shows-no-token = { $token } geht nicht
rules-shows-jokers = Joker sind erlaubt
rules-shows-no-jokers = keine Joker
rules-shows-round = sofort eine Sonderrunde
rules-shows-no-round = keine Sonderrunde
rules-shows-seats = es würfeln der Reihe nach die Plätze { $seats }
rules-shows-picks = wählbar: { $boxes }
rules-shows-duty = Platz { $seat }: { $box }
rules-shows-column = Bonus { $bonus }, kein Strich { $extra }, Spalte { $points }

# --- Rules pages: history ---

rules-history-yacht = Am Anfang steht Yacht, ein älteres Spiel mit fünf Würfeln.
rules-history-1956 = 1956 kam in Amerika ein Spiel in den Handel, das Yacht ausbaute: Bonus oben, Dreierpasch, kleine Straße, Punkte für weitere Fünflinge und der Joker waren neu.
rules-history-lower-only = Im Regelheft von 1956 galt ein weiterer Fünfling nur im unteren Teil als Joker.
rules-history-1961 = Die Fassung, die 1961 neu geschützt wurde, hat das geändert.
rules-history-forced-free = Der vorgeschriebene Joker, erst oben, dann unten, ist die offizielle Regel von heute. Die freie Wahl ist die lockerere Spielart, die man daneben oft beschrieben findet.
rules-history-2003 = Vorbild ist eine private Seite vom Juni 2003, auf der man das Spiel im Browser spielen konnte, allein oder reihum, mit der Maus und einer Bilanz gegen das Soll.
rules-history-schmidt = In Deutschland erscheint das Spiel bei Schmidt. In dessen Anleitung bringt ein weiterer Kniffel 50 Punkte extra statt 100.
rules-history-nordic = Yatzy ist die Spielart der nordischen Länder.
rules-history-nordic-values = Statt fester großer Zahlen zählt dort meist, was die Würfel zeigen: Auch die Straßen sind nur so viel wert wie ihre Augen, 15 und 20.
rules-history-maxi = In den nordischen Ländern wird neben Yatzy auch mit sechs Würfeln gespielt, unter dem Namen Maxi Yatzy.
rules-history-maxi-pad = Sein Block hat 20 Felder. Das Yatzy-Feld ist fort, dafür gibt es drei Paare, Fünferpasch, volle Straße, Burg, Turm und sechs Gleiche zu 100 Punkten. Der Bonus von 100 verlangt oben 84, und übrige Würfe bleiben für später.
rules-history-full-straight = Die gedruckten Tabellen sind sich nicht ganz einig. Die volle Straße zählt meist 21, die Summe ihrer Augen, in manchen 30. Hier gilt 21, und 30 lässt sich wählen.
rules-history-acht = „Acht, Mann!“ ist eine Hausregel mit eigenem Blatt, das auf dem Kniffel-Prinzip aufbaut. Einige Zahlen nennt ihr Text nicht; dafür stehen hier übliche Werte, und Optionen für andere.
rules-history-acht-names = Manches heißt dort anders: Fünferpasch statt Kniffel, volles Haus statt Full House, Schrott statt Chance. Neu sind die Straße mit einem Loch, das kaputte volle Haus und die 80 Punkte für genau acht Augen.

# --- Rules core: rulesets and options that cannot be used ---

unknown-ruleset = Dieses Regelwerk gibt es nicht. Bekannt sind { $values }, oder der Pfad einer TOML-Datei.
file-not-found = Diese Datei gibt es nicht.
file-unreadable = Die Datei ist nicht lesbar ({ $problem }).
file-too-large = Die Datei ist zu groß; erlaubt sind { $most } Bytes.
not-utf8 = Die Datei ist kein Text in UTF-8.
not-toml = Das ist kein gültiges TOML: { $problem }.
base-too-deep = Höchstens { $most } Regelwerke dürfen aufeinander aufbauen.
expected-base = Erwartet ist die id eines Regelwerks oder der Pfad einer TOML-Datei neben dieser, nicht { $found }.
expected-key = Diese Angabe fehlt.
unknown-key = Diese Angabe gibt es hier nicht. Möglich sind { $values }.
expected-table = Erwartet ist eine Tabelle mit Angaben, nicht { $found }.
expected-list = Erwartet ist eine Liste mit { $low } bis { $high } Einträgen, nicht { $found }.
expected-whole = Erwartet ist eine ganze Zahl von { $low } bis { $high }, nicht { $found }.
expected-switch = Erwartet ist true oder false, nicht { $found }.
expected-one-of = Erwartet ist eines von { $values }, nicht { $found }.
expected-ruleset-id = Erwartet ist eine id aus höchstens { $most } kleinen Buchstaben, Ziffern und Bindestrichen, nicht { $found }.
expected-box-id = Erwartet ist eine id aus höchstens { $most } kleinen Buchstaben, Ziffern und Unterstrichen, nicht { $found }.
expected-label = Erwartet ist ein Name aus höchstens { $most } druckbaren Zeichen, nicht { $found }.
expected-text = Erwartet ist ein Text, nicht { $found }.
expected-every-box-once = Die Reihenfolge muss jedes Feld genau einmal nennen ({ $values }), nicht { $found }.
expected-field = Hier muss der Ort einer ganzen Zahl im Regelwerk stehen, etwa "upper.bonus"; { $found } ist keiner.
expected-patches = Eine eigene Option braucht "field" oder für jeden Wert eine Tabelle mit Änderungen.
upper-needs-face = Ein oberes Feld hat genau eine Regel, und die zählt eine Augenzahl (face).
joker-in-upper = Einen Jokerwert haben nur untere Felder.
one-pattern = Eine Regel hat nur ein Muster, und { $first } steht schon da.
pattern-impossible = Dieses Muster kann mit { $dice } Würfeln nicht liegen.
matched-needs-pattern = "matched" zählt die Würfel eines Musters: Es braucht face, groups oder sets.
exact-needs-pattern = "exact" gilt nur zu groups oder sets.
named-twice = { $found } kommt zweimal vor.
needs-all-equal = Dazu muss all_equal das Feld für lauter gleiche Würfel nennen.
needs-upper-section = Einen Bonus oben gibt es nur mit oberen Feldern.
special-needs-column = Sonderrunden brauchen genau eine Spalte mit special = true, dazu wenigstens eine gewöhnliche, und umgekehrt.
needs-plain-columns = Das geht nicht mit Spalten, die nach Würfen oder nur in Sonderrunden offen sind.
no-column-for-last-throw = Nach dem letzten Wurf ({ $throws }) muss noch eine Spalte offen sein, und keine länger.
expected-one-per-column = Hier muss für jede der { $columns } Spalten eine Zahl stehen.
option-not-admitted = Die Option { $option } gibt es hier nicht. Möglich sind { $values }.
option-needs = { $option } geht nur zusammen mit { $needs } = { $values }.

# --- Rules core: dice, boxes, actions ---

expected-dice = Erwartet sind { $dice } Augenzahlen von 1 bis 6, nicht { $found }.
faces-expected = Erwartet sind Augen von 1 bis 6 wie 335, oder - für keine, nicht { $found }.
expected-seat = Den Platz { $found } gibt es nicht: Es sind { $players }, gezählt ab 0.
unknown-box = Das Feld { $found } gibt es auf diesem Block nicht.
action-expected = Erwartet ist ein Zug wie "keep 335" oder "enter full_house", nicht { $found }.
box-expected = Erwartet ist ein Feld wie full_house oder full_house/2, nicht { $found }.
roll-expected = { $action } ist ein Wurf: Dazu gehören die { $dice } Würfel, die danach liegen.
roll-not-expected = { $action } ist kein Wurf: Danach liegen keine neuen Würfel.
roll-impossible = Nach { $action } kann nicht { $found } liegen.
game-over = Das Spiel ist zu Ende; { $action } geht nicht mehr.
first-throw-keeps-nothing = Der erste Wurf nimmt alle Würfel: "keep -", nicht { $action }.
no-throw-left = Es ist kein Wurf übrig; { $action } geht nicht.
throw-nothing = { $action } lässt alle Würfel liegen. Wenigstens einer muss geworfen werden.
keep-not-on-table = { $action } geht nicht: Es liegt { $roll }.
not-thrown = Erst muss geworfen werden, dann geht { $action }.
box-filled = { $box } ist schon gefüllt.
box-not-allowed = { $box } ist mit diesem Wurf jetzt nicht erlaubt.
pick-first = Erst muss ein Feld der Sonderspalte gewählt werden; { $action } geht noch nicht.
pick-not-allowed = { $box } kann jetzt nicht für eine Sonderrunde gewählt werden.
helpers-first = Erst werfen alle, die helfen; { $action } geht noch nicht.
choose-first = Erst müssen die Würfel ausgesucht werden; { $action } geht noch nicht.
choose-not-allowed = { $action } geht nicht: Diese Würfel liegen nicht zur Auswahl.
token-not-to-spend = { $found } lässt sich jetzt nicht einsetzen.
no-extra-throw = Es ist kein Extrawurf möglich; { $action } geht nicht.
throw-is-fixed = Was liegen blieb, bleibt auch jetzt liegen; { $action } geht nicht.
not-your-turn = Platz { $seat } ist nicht dran, sondern Platz { $turn } (gezählt ab 0).

# --- Rules core: game records ---

record-too-long = Die Aufzeichnung ist zu lang; erlaubt sind { $most } Zeilen.
record-line = Mit { $found } kann hier keine Zeile beginnen.
record-header = Die Kopfzeile { $name } ist nicht lesbar: { $found }.
record-header-missing = Es fehlt die Kopfzeile { $name }.
record-digest = Die Regeln passen nicht zur Kennung { $found }; sie haben { $expected }.

# --- Rules core: dice that can be checked ---

fair-table = Das kann keine Tischkennung sein: { $found }.
fair-hex = Erwartet werden 64 Hexziffern in Kleinschrift, nicht { $found }.
fair-seats = Erwartet werden Plätze in aufsteigender Folge, jeder einmal, nicht { $found }.
fair-wrong-seed = Der Startwert gehört nicht zur Festlegung { $commitment }.
fair-no-commitment = Platz { $seat } zeigte einen Anteil ohne Festlegung (gezählt ab 0).
fair-wrong-share = Der Anteil von Platz { $seat } gehört nicht zu seiner Festlegung { $commitment } (gezählt ab 0).
verify-typed = Die Würfel fielen auf einem echten Tisch und wurden eingetippt; abzuleiten ist da nichts.
verify-no-exchange = Die Aufzeichnung enthält keinen Austausch von Geheimnissen; abzuleiten ist da nichts.
verify-no-seat = Unter { $seats } Plätzen gibt es keinen Platz { $seat } (gezählt ab 0).
verify-no-seed = Der Startwert ist noch nicht gezeigt; das geschieht am Ende des Spiels.
verify-too-many = Zwei Würfel losen unter höchstens { $most } Plätzen.
verify-beginner = Nach den Würfeln beginnt Platz { $seat }, nach der Aufzeichnung Platz { $found } (gezählt ab 0).
verify-differs = Startwert und Anteile ergeben andere Würfel.

# --- Rules core: a statistic of dice ---

dice-too-few = Zu wenige Würfel für eine Aussage: { $missing ->
    [one] es fehlt einer
   *[other] es fehlen { $missing }
  }.
dice-usual = Nichts Auffälliges.
dice-unusual = Auffällig: kommt bei 1 von { $count } ehrlichen Spielern vor.

# --- Where an error is, and what may have been meant ---

error-event = Ereignis { $event }
error-line = Zeile { $line }
error-legal = Möglich ist jetzt { $actions }.
error-suggestion = Meintest du { $suggestion }?

# --- Rules core: files of reference cases ---

not-json = Das ist kein gültiges JSON: { $problem }.
cases-no-list = Erwartet ist eine Liste von Fällen, nicht { $found }.
cases-no-tokens = { $ruleset } kennt keine Jetons für weitere Fünflinge.

# --- Command line ---

cli-help = Würfelspiele mit Block: Kniffel und Verwandte. Ohne Befehl beginnt ein Spiel im Browser.
cli-help-play = Im Browser spielen: startet das Programm und öffnet den Browser.
cli-help-serve = Das Spiel bereitstellen, ohne den Browser zu öffnen.
cli-help-rules = Regelwerke ansehen, vergleichen und prüfen.
cli-help-list = Alle Regelwerke, eines je Zeile.
cli-help-show = Ein Regelwerk zeigen: Block, Punkte, Bonus, Optionen.
cli-help-long = Auch jede Option erklären, nicht nur die gewählten.
cli-help-diff = Nur zeigen, worin sich zwei Regelwerke unterscheiden.
cli-help-cases = Eine Datei mit Prüffällen durchrechnen; endet mit 1, wenn einer nicht stimmt.
cli-help-id = id eines Regelwerks oder Pfad einer TOML-Datei.
cli-help-file = JSON-Datei mit Prüffällen.
cli-help-option = Eine Option setzen, etwa -o joker=forced; Listen mit Kommas. Beliebig oft.
cli-help-left = Eine Option nur für das erste Regelwerk.
cli-help-right = Eine Option nur für das zweite Regelwerk.
cli-help-json = Ausgabe als JSON, für Programme.
cli-help-lang = Sprache; sonst die der Umgebung (LANG), sonst Englisch.
cli-help-port = Port auf diesem Rechner; ist er belegt, wird ein anderer genommen.
cli-help-host = Adresse, an der der Server lauscht; ohne --lan und --public-url nur eine dieses Rechners.
cli-help-lan = Auch andere Geräte im eigenen Netz spielen lassen, unverschlüsselt: Wer im Netz ist, kann mitlesen.
cli-help-public-url = Hinter einem Proxy mit TLS: die Adresse, unter der alle den Server erreichen, etwa https://play.example
cli-help-data = Ordner für gespeicherte Spiele und Tabellen.
cli-help-database = Adresse einer PostgreSQL-Datenbank statt des Ordners: postgresql://name:passwort@rechner/datenbank; sie kann auch in KNOBEL_DATABASE stehen.
cli-help-workers = So viele Prozesse bedienen dieselbe Adresse; das geht nur mit --database.
cli-help-no-browser = Den Browser nicht öffnen.
cli-help-version = Die Version nennen.
cli-help-help = Diese Hilfe zeigen.
cli-arguments = Angaben
cli-options = Optionen
cli-commands = Befehle
cli-port-busy = Port { $port } ist belegt, also ein anderer.
cli-serving = Knobel läuft: { $url } (Ende mit Strg-C)
cli-serving-lan = Auf anderen Geräten in diesem Netz: { $urls }
cli-serving-no-lan = Dieser Rechner hat keine Adresse in einem privaten Netz; andere Geräte erreichen ihn nicht.
cli-serving-plain = Nicht verschlüsselt: Wer in diesem Netz ist, kann mitlesen und sich als ein anderer ausgeben.
cli-serving-public = Knobel läuft für { $url } (Ende mit Strg-C). Der Proxy gibt Anfragen mit ihrem Host an { $behind } weiter.
cli-no-command = Den Befehl { $found } gibt es nicht. Möglich sind { $values }.
cli-no-option = Die Angabe { $found } gibt es hier nicht.
cli-missing = Es fehlt { $name }.
cli-bad-value = { $name } ist nicht brauchbar: { $problem }
cli-usage = Der Aufruf ist so nicht möglich: { $problem }
cli-see-help = Hilfe: { $command } --help
cli-option-form = Eine Option wird als -o name=wert angegeben, nicht { $found }.
cli-no-difference = Kein Unterschied.
cli-options-title = Optionen (-o name=wert)
cli-value-changed = { $value } (sonst { $default })
cli-values-number = eine Zahl
cli-values-numbers = drei Zahlen mit Kommas
cli-values-boxes = { $values } oder Felder mit Kommas
cli-column-name = Name
cli-column-box = Feld
cli-column-pattern = Was liegen muss
cli-column-points = Punkte
cli-column-joker = als Joker
cli-column-option = Option
cli-column-meaning = Bedeutung
cli-column-value = Jetzt
cli-column-values = Möglich
cli-column-needs = Nur mit
cli-cases-failed = erwartet { $expected }, berechnet { $got }
cli-fact-unused = Nicht gebrauchte Würfe
cli-fact-unused-saved = bleiben für spätere Züge
cli-fact-unused-lapse = verfallen
cli-fact-boxes = Felder
cli-fact-upper = { $bonus } Punkte, wenn die oberen Felder { $threshold } erreichen
cli-fact-extra = je { $points } Punkte, { $when }
cli-fact-extra-upper = nur im oberen Feld seiner Zahl
cli-fact-extra-multiplied = mal Faktor der Spalte
cli-fact-extra-plain = ohne Faktor der Spalte
cli-fact-joker = als Joker { $points }
cli-fact-name = Name von { $box }
cli-pattern-any = jeder Wurf
cli-pattern-face = Würfel mit { $face }
cli-pattern-groups = { $groups } Gleiche
cli-pattern-total = Summe { $total }
cli-pattern-exact = genau { $pattern }

# --- The table and the server ---

# Um den Tisch herum
guest-needed = Dafür muss man sich erst einen Namen geben.
guest-barred = Der Gastgeber hat dich von diesem Tisch fortgeschickt.
room-closed = Dieser Tisch ist aufgegeben worden.
room-not-begun = Das Spiel hat noch nicht begonnen.
room-begun = Das Spiel hat schon begonnen.
room-full = An diesem Tisch ist kein Platz frei.
room-empty = Ohne Spieler kann kein Spiel beginnen.
room-not-ready =
    { $seats ->
        [one] Ein Platz ist noch nicht bereit.
       *[other] { $seats } Plätze sind noch nicht bereit.
    }
room-host-only = Das darf nur der Gastgeber.
room-not-allowed = Das macht nur der Server selbst.
room-said-enough = Genug geredet: Jetzt wird wieder gewürfelt.
room-not-over = Das Spiel ist noch nicht zu Ende.
room-typed-begin = Mit echten Würfeln beginnt der erste Platz, oder es geht reihum.
seat-unknown = Den Platz { $seat } gibt es hier nicht (gezählt ab 0).
seat-taken = Auf dem Platz { $seat } sitzt schon jemand (gezählt ab 0).
seat-nobody = Auf dem Platz { $seat } sitzt niemand (gezählt ab 0).
seat-not-yours = Hier geht es um deine eigenen Plätze, um alle und nur um sie.
seat-stand-in = Für den Platz { $seat } spielt gerade der Computer (gezählt ab 0): erst zurückkehren.
seat-typed-people = Mit echten Würfeln spielen nur Menschen.
seat-typed-stays = Mit echten Würfeln kann niemand für dich einspringen.
fair-malformed = Ein versiegelter Anteil hat 64 Hexziffern.
fair-too-early = Anteile werden erst aufgedeckt, wenn alle versiegelt sind.
fair-too-late = Für Anteile ist es zu spät: Das Spiel läuft.
fair-mismatch = Dieser Anteil ist nicht der, der versiegelt wurde.
typed-faces-unasked = Hier würfelt der Server; Augen werden nicht eingegeben.
typed-faces-expected =
    { $dice ->
        [one] Ein Würfel wurde geworfen; einzugeben ist seine Augenzahl von 1 bis 6, nicht { $found } Zahlen.
       *[other] { $dice } Würfel wurden geworfen; einzugeben sind ihre Augen von 1 bis 6, nicht { $found } Zahlen.
    }
server-code-unknown = Zu diesem Code gibt es keinen Tisch.

table-over = Das Spiel ist zu Ende.
table-not-your-seat = Platz { $seat } spielt jemand anderes (gezählt ab 0).
table-stale = Der Tisch ist schon weiter: Er steht bei { $expected }, gemeint war { $found }.
table-places = Solche Würfel gibt es nicht: { $found }. Die Stellen zählen ab 0; auf dem Tisch liegen { $dice } Würfel.
table-broken = Das Protokoll des Tisches { $table } ist bei Ereignis { $event } beschädigt: { $problem }
server-table-unknown = Diesen Tisch gibt es nicht.
server-overloaded = Der Server hat zu viel zu tun; gleich noch einmal versuchen.
server-storage-full = Der Speicher ist voll: Nichts lässt sich sichern, also wurde nichts gespielt. Das Spiel bleibt stehen, bis Platz ist.
server-storage-failed = Das Sichern ist misslungen, also wurde nichts gespielt. Das Spiel bleibt, wie es ist; noch einmal versuchen.
server-error = Der Server hat einen Fehler gemacht; geändert wurde nichts.
server-name-empty = Von diesem Namen ist nichts zu sehen; ein Spieler braucht einen lesbaren Namen.
server-guest-none = Dazu braucht es erst einen Namen.
server-guest-phrase-unknown = Zu diesen Wörtern gehört niemand. Vielleicht ist eines vertippt, oder es gibt inzwischen neue.
server-message-not-json = Diese Nachricht ist kein JSON: { $problem }
server-message-too-deep = Diese Nachricht ist mehr als { $most } Ebenen tief.
server-message-invalid = Diese Nachricht ist nicht zu gebrauchen, bei { $where }: { $problem }
server-message-binary = Nachrichten sind Text, keine Bytes.
server-hello-expected = Die erste Nachricht muss eine Begrüßung sein.
server-hello-again = Begrüßt wurde schon.
server-protocol = Diese Seite spricht Fassung { $found } des Protokolls, der Server { $expected }. Die Seite neu laden.
server-too-many = Mehr als { $most } Nachrichten in { $seconds } Sekunden sind zu viele.
server-too-many-new = Mehr legt der Server für einen Besucher nicht an: { $most } in { $seconds } Sekunden. In { $wait } Sekunden noch einmal versuchen.
server-too-many-tries = Zu oft versucht: { $most } in { $seconds } Sekunden sind erlaubt. In { $wait } Sekunden noch einmal versuchen.
server-too-many-sockets = Von diesem Ort aus sind zu viele Spiele offen; zugleich gehen höchstens { $most }.
server-not-found = Hier ist nichts.
server-method-not-allowed = Das geht hier nicht.
server-request-invalid = Diese Anfrage ist nicht zu gebrauchen, bei { $where }: { $problem }
server-too-large = Eine Anfrage darf höchstens { $most } Bytes haben.
server-foreign-host = Unter diesem Namen ist der Server nicht zu erreichen. Auf diesem Rechner heißt er localhost; was andere Geräte brauchen, sagt knobel serve --help.
server-foreign-host-lan = Unter diesem Namen ist der Server nicht zu erreichen. In diesem Netz bitte die Adresse in Zahlen nehmen, die beim Start dort stand.
server-foreign-host-public = Zu erreichen ist dieser Server unter { $url }
server-plain-http = Ohne Verschlüsselung antwortet dieser Server nur auf seinem eigenen Rechner. Für andere Geräte im selben Netz startet man ihn mit knobel serve --lan, für das Internet mit --public-url hinter einem Proxy mit TLS.
server-plain-http-far = Ohne Verschlüsselung antwortet dieser Server nur in seinem privaten Netz. Für das Internet startet man ihn mit knobel serve --public-url hinter einem Proxy mit TLS.
server-foreign-origin = Anfragen von Seiten anderer Anbieter werden abgelehnt.
server-no-pages = Die Seiten von knobel sind nicht gebaut. knobel mit ./knobel starten oder neu installieren.
server-folder-in-use = Ein anderer Server von knobel benutzt den Datenordner { $path }.
server-folder-full = Im Datenordner { $path } ist kein Platz mehr.
server-folder-unwritable = In den Datenordner { $path } lässt sich nicht schreiben: { $problem }
server-database-unusable = Die Datenbank { $path } ist nicht zu gebrauchen: { $problem }
server-database-foreign = { $path } ist keine Datenbank von knobel.
server-database-newer = Die Datenbank { $path } stammt von einem neueren knobel ({ $found }, dieses kennt { $expected }).
server-workers-shared = { $found } Prozesse brauchen eine gemeinsame Datenbank: --workers geht nur mit --database.
server-database-scheme = Die Adresse einer Datenbank ist wie { $expected }://name:passwort@rechner/datenbank, nicht { $found }.
server-database-bad-address = Die Adresse der Datenbank ist nicht zu lesen.
server-database-bad-password = In der Adresse der Datenbank steht mehr als ein @; eines im Passwort schreibt man als %40.
server-database-bad-name = In der Adresse der Datenbank fehlt nach dem Rechner der Name einer Datenbank.
server-database-bad-option = Die Adresse einer Datenbank kann host, port und ssl festlegen, nicht { $option }.
server-address-unusable = Der Server kann unter { $host } nicht lauschen: { $problem }
server-no-free-port = Alle Ports von { $first } bis { $last } sind belegt.
server-lan-and-public = --lan ist für das eigene Netz ohne Verschlüsselung, --public-url für einen Proxy mit TLS; nur eines von beiden geht.
server-lan-host = --lan braucht eine Adresse in einem privaten Netz, nicht { $host }; ohne --host sind es alle.
server-host-careless = Unter { $host } könnten andere Rechner zugreifen, ohne Verschlüsselung. Im eigenen Netz geht das mit --lan, hinter einem Proxy mit TLS mit --public-url.
server-public-url = --public-url ist eine Adresse wie https://play.example, ohne Pfad, nicht { $found }.

# --- House rules on the server and on the command line ---

server-house-unknown = Solche Hausregeln gibt es auf diesem Server nicht.
server-house-full = Dieser Server hebt nicht mehr als { $most } Hausregeln auf.
server-house-id = { $found } heißt schon ein mitgeliefertes Regelwerk; Hausregeln brauchen eine eigene Kennung.
server-house-boxes = Ein Block auf diesem Server hat höchstens { $most } Felder, nicht { $found }.
server-house-too-large = Diese Regeln sind zu umfangreich für diesen Server.
cli-help-check = Prüfen, ob ein Regelwerk spielbar ist, auch mit jeder seiner Optionen.
cli-help-export = Ein Regelwerk als ganze TOML-Datei ausgeben.
cli-checked = { $name }: alles in Ordnung. { $boxes } Felder, { $options } Optionen, Kennzeichen { $mark }.

# --- Command line: exact values ---

cli-help-solve = Ein Regelwerk genau durchrechnen: Was ein leerer Block bei bestem Spiel wert ist.
cli-help-solve-list = Alle Tabellen im Datenordner, auch angefangene und beschädigte.
cli-help-threads = Mit so vielen Threads rechnen; sonst mit einem je Prozessor.
cli-help-force = Neu beginnen, auch wenn es lange dauert oder schon eine Tabelle da ist.
cli-help-resume = Da weitermachen, wo unterbrochen wurde.
cli-help-cluster = Auf dem Dask-Cluster rechnen, dessen Scheduler hier zu finden ist, etwa tcp://host:8786.
cli-list-alone = --list zeigt alle Tabellen: ohne ID und ohne -o.
cli-force-or-resume = --force beginnt neu, --resume macht weiter: nur eines von beiden.
cli-value = { NUMBER($value, minimumFractionDigits: 4, maximumFractionDigits: 4, useGrouping: "always") }
cli-count = { NUMBER($count, useGrouping: "always") }
cli-seconds = { NUMBER($seconds, maximumSignificantDigits: 3) } s
cli-size = { NUMBER($amount, maximumFractionDigits: 1) } { $unit }
cli-solved-value = Erwartete Summe
cli-solved-states = Zustände
cli-solved-time = Gerechnet in
cli-solved-folder = Ordner
cli-solved-on = { $time } mit { $threads ->
    [one] einem Thread
   *[other] { $threads } Threads
  }
cli-solve-plan = { $ruleset }: { NUMBER($states, useGrouping: "always") } Zustände, { $memory } Arbeitsspeicher, { $disk } auf der Platte; alles zusammen dauert etwa { $time } mit { $threads ->
    [one] einem Thread
   *[other] { $threads } Threads
  }.
cli-solve-compiling = Das Rechenwerk wird übersetzt, nur dieses erste Mal …
cli-solve-progress = { $percent } %, Blöcke mit { $filled } von { $boxes } vollen Feldern, { NUMBER($rate, useGrouping: "always") } Werte/s, noch etwa { $left }
cli-solve-stopped = Angehalten; was fertig ist, bleibt. Weiter geht es mit: { $call } --resume
cli-no-tables = In { $path } sind noch keine Tabellen. Eine entsteht mit: knobel solve ID
cli-column-ruleset = Regelwerk
cli-column-digest = Kennung
cli-column-kind = Zahlen
cli-column-stored = Werte
cli-column-size = Platz
cli-column-state = Stand
cli-column-expected = Erwartet
cli-table-finished = fertig
cli-table-layers = { $done } von { $layers } Schichten
cli-table-damaged = beschädigt

# --- Command line: simulation ---

cli-help-simulate = Viele Spiele eines Computerspielers allein: Mittel, Streuung, Verteilung, Punkte je Feld.
cli-help-policy = Wer spielt: optimal (genau gerechnet), greedy (denkt nur an den Zug), random (irgendetwas Erlaubtes).
cli-help-games = Wie viele Spiele; sonst 1000000, bei greedy und random 1000.
cli-help-seed = Woraus die Würfel entstehen: gleiche Zahl, gleiche Spiele. Sonst 1.
cli-help-out = Jedes Spiel als Zeile in diese Datei: .csv, .parquet oder .json.
cli-points = { NUMBER($points, minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: "always") }
cli-percent = { NUMBER($percent, minimumFractionDigits: 1, maximumFractionDigits: 1) } %
cli-policy-optimal = optimal: spielt auf die höchste erwartete Summe
cli-policy-greedy = greedy: denkt nur an den laufenden Zug
cli-policy-random = random: tut irgendetwas Erlaubtes
cli-simulated-policy = Spielweise
cli-simulated-games = Spiele
cli-simulated-rate = Tempo
cli-simulated-mean = Mittel
cli-simulated-deviation = Standardabweichung
cli-simulated-bonus = Mit oberem Bonus
cli-simulate-count = { NUMBER($count, useGrouping: "always") } (Seed { $seed })
cli-simulate-speed = { NUMBER($rate, useGrouping: "always") } Spiele/s ({ $time })
cli-simulate-interval = { $mean } (mit 95 % Sicherheit { $low } bis { $high })
cli-simulate-totals = Summen
cli-simulate-lowest = kleinste
cli-simulate-highest = größte
cli-simulate-percentile = { $percent } %
cli-column-mean = Punkte im Mittel
cli-column-zeros = Null Punkte
cli-simulate-written = { NUMBER($count, useGrouping: "always") } { $count ->
    [one] Zeile steht
   *[other] Zeilen stehen
  } in { $path }.
cli-simulate-progress = { $percent } % von { NUMBER($games, useGrouping: "always") } Spielen, { NUMBER($rate, useGrouping: "always") } Spiele/s, noch etwa { $left }
cli-simulate-greedy = { $problem } Mit --policy greedy geht jedes Regelwerk.
cli-simulate-solve-first = { $problem } So etwas nimmt nur knobel solve; --policy greedy braucht keine Tabelle.
games-ending = { $found }: Die Endung muss eine von { $values } sein.
games-not-written = Die Datei { $path } lässt sich nicht schreiben: { $problem }
games-no-parquet = Für Parquet fehlt das Paket pyarrow: pip install "knobel[{ $extra }]".
sim-games = Mindestens ein Spiel muss es sein, nicht { $found }.
sim-memory = Für { NUMBER($games, useGrouping: "always") } Spiele braucht es { $memory } GB Arbeitsspeicher; frei sind { $free } GB.

# --- Exact values: what stands against a solve, and tables that cannot be used ---

solver-word = { $ruleset } lässt sich nicht genau durchrechnen: Für { $word } haben die Tabellen keinen Platz.
solver-no-such-pad = Kein Spiel nach { $ruleset } führt zu diesem Block.
solver-too-many-states = { $ruleset } hat etwa { $states } Zustände: rund { $disk } GB auf der Platte und { $hours } Stunden Arbeit, zu viel für Tabellen. Mit fester Reihenfolge sind es weniger, etwa mit -o order=down.
solver-memory = Für { $ruleset } mit { $states } Zuständen braucht es { $memory } GB Arbeitsspeicher; frei sind { $free } GB.
solver-disk = Für { $ruleset } mit { $states } Zuständen braucht es { $disk } GB auf der Platte; frei sind { $free } GB. Mit --data geht es in einen anderen Ordner.
solver-too-long = { $ruleset } mit { $states } Zuständen dauert hier etwa { $minutes } Minuten. Wenn das gewollt ist: --force.
solver-other-rules = Diese Werte gehören zu { $ruleset }, das Spiel geht nach anderen Regeln ({ $found }).
solver-no-distribution = Wie sich die Summen bei { $ruleset } verteilen, wird nicht ausgerechnet: { $states } Zustände sind dafür zu viele.
solver-no-cluster = Um auf mehreren Rechnern zu rechnen, fehlt das Paket distributed: pip install "knobel[{ $extra }]".
solver-cluster-unreachable = Unter { $address } antwortet kein Scheduler: { $problem }
solver-cluster-empty = Beim Scheduler { $address } hat sich noch kein Worker gemeldet.
solver-cluster-version = Auf einem Worker läuft ein anderes knobel als hier ({ $version }). Überall muss dasselbe sein.
solver-cluster-failed = Auf den anderen Rechnern ging es nicht weiter: { $problem }
table-format = Die Tabelle { $path } hat das Format { $found }, diese Version liest { $expected }. knobel solve --force macht sie neu.
table-unreadable = Die Tabelle { $path } ist nicht lesbar. knobel solve --force macht sie neu.
table-file-missing = Von der Tabelle fehlt die Datei { $path }. knobel solve --force macht die Tabelle neu.
table-file-damaged = Die Datei { $path } ist nicht so, wie sie geschrieben wurde. knobel solve --force macht die Tabelle neu.
table-folder = Der Ordner { $path } ist nicht brauchbar: { $problem }
table-in-work = In { $path } rechnet gerade ein anderes knobel.
table-missing = Für { $ruleset } gibt es in { $path } noch keine Tabelle. knobel solve { $ruleset } macht sie.
table-foreign = Die Tabelle { $path } gehört zu { $found } und nicht zu { $ruleset }. knobel solve --force macht sie neu.
table-unfinished = Die Tabelle { $path } für { $ruleset } ist nicht fertig. knobel solve --resume macht weiter.
table-interrupted = Für { $ruleset } liegt in { $path } eine angefangene Tabelle. --resume macht weiter, --force beginnt neu.
table-not-written = Die Datei { $path } lässt sich nicht schreiben: { $problem }

# --- Verifying dice ---

cli-help-verify = Leitet jeden Wurf einer Aufzeichnung neu aus Startwert und Anteilen ab; endet mit 1, wenn die Würfel nicht bestätigt sind.
cli-help-record = Datei einer Aufzeichnung, Text oder JSON; - liest die Standardeingabe.
cli-verify-dice = Würfel
cli-verify-dice-provable = aus Startwert und Anteilen
cli-verify-dice-server = allein vom Server
cli-verify-dice-typed = echte, eingetippt
cli-verify-table = Tisch
cli-verify-seat = Platz { $seat }
cli-verify-share-fits = Festlegung und Anteil passen
cli-verify-share-wrong = Festlegung und Anteil passen nicht
cli-verify-share-withheld = Festlegung ohne Anteil, trägt nichts bei
cli-verify-share-none = kein Anteil
cli-verify-seed = Startwert
cli-verify-seed-fits = passt zu seiner Festlegung
cli-verify-seed-wrong = passt nicht zu seiner Festlegung
cli-verify-seed-hidden = noch nicht gezeigt
cli-verify-beginning = Beginn
cli-verify-begins = { $name } beginnt; darüber entschieden keine Würfel
cli-verify-begins-derived = { $name } beginnt, wie abgeleitet
cli-verify-begins-other = abgeleitet beginnt { $name }, in der Aufzeichnung { $found }
cli-verify-throws = Würfe
cli-verify-derived = { $count } wie abgeleitet
cli-verify-difference = – Ereignis { $event }: liegen blieb { $keep }, abgeleitet { $thrown }, auf dem Tisch { $recorded }
cli-verify-yes = Bestätigt: Jeder Wurf folgt aus Startwert und Anteilen.
cli-verify-no = Nicht bestätigt.
cli-verify-no-beginning = Nicht bestätigt: { $reason }
cli-verify-no-event = Nicht bestätigt bei Ereignis { $event }: { $reason }

# --- Backups ---

cli-help-backup = Alle Spiele in eine Datei sichern, auch während gespielt wird.
cli-help-backup-file = Wohin die Sicherung kommt.
cli-help-backup-force = Die Datei ersetzen, wenn es sie schon gibt.
cli-help-restore = Eine Sicherung an die Stelle der gespeicherten Spiele setzen; dabei darf kein Server laufen.
cli-help-restore-file = Eine Datei, die knobel backup geschrieben hat.
cli-help-restore-force = Auch wenn dort Spiele gespeichert sind; sie bleiben daneben erhalten.
cli-backup-file = Sicherung
cli-backup-database = Datenbank
cli-backup-kept = Vorherige
cli-backup-tables = Tische
cli-backup-events = Ereignisse
cli-backup-size = Größe
server-backup-nothing = In { $path } gibt es noch keine Spiele.
server-backup-same-file = { $path } gehört zur Datenbank selbst; eine Sicherung braucht eine eigene Datei.
server-backup-no-folder = Den Ordner { $path } gibt es nicht.
server-backup-no-file = { $path } ist keine gewöhnliche Datei.
server-backup-exists = { $path } gibt es schon. --force ersetzt die Datei.
server-backup-log = { $path } gehört zu einer anderen Datenbank dieses Namens. Die Datei wegräumen oder einen anderen Namen wählen.
server-backup-full = In { $path } ist kein Platz mehr; geändert wurde nichts.
server-backup-failed = { $path } ließ sich nicht nach { $place } kopieren: { $problem }
server-database-damaged = Die Datenbank { $path } ist beschädigt: { $problem }
server-restore-no-file = Die Datei { $path } gibt es nicht.
server-restore-events = In der Datenbank { $path } { $count ->
    [one] steht ein Ereignis
   *[other] stehen { NUMBER($count, useGrouping: "always") } Ereignisse
}. --force setzt die Sicherung an ihre Stelle und hebt sie unter anderem Namen auf.
server-restore-not-empty = In { $path } stehen schon Spiele. Eine Sicherung kommt in eine neue Datenbank.
server-restore-unreadable = Die Datenbank { $path } lässt sich nicht lesen. --force setzt die Sicherung an ihre Stelle und hebt sie unter anderem Namen auf.
server-restore-open = Ein anderes Programm hat die Datenbank { $path } geöffnet.

# --- Browser: the workshop for house rules ---

workshop-title = Eigene Regeln
workshop-lead = Ändere einen Block, bis er deiner ist: ausprobieren, spielen, weitergeben.
workshop-own = Eigene Regeln …
workshop-change = Diese Regeln ändern …
workshop-start = Ausgehen von
workshop-start-choose = Block wählen
workshop-known = Hausregeln { $digest }
workshop-take-back = Zurück zu dem, was hier stand
workshop-to-setup = Zum Tisch
workshop-import = TOML einlesen
workshop-import-note = Eine Datei, wie knobel sie ausgibt, oder eine von Hand geschriebene. Nichts geht verloren: Du kannst zurück.
workshop-import-file = Datei
workshop-import-text = oder ihr Text
workshop-import-use = Diese Regeln nehmen
workshop-export = TOML ausgeben
workshop-link = Link kopieren
workshop-link-copied = Der Link ist kopiert. Wer ihn öffnet, findet genau diese Regeln.
workshop-link-here = Hier ist der Link; wer ihn öffnet, findet genau diese Regeln.
workshop-play = Spielen
workshop-playable = Diese Regeln sind spielbar.
workshop-not-yet = Noch nicht:
workshop-basics = In Kürze
workshop-name-de = Name, deutsch
workshop-name-en = Name, englisch
workshop-columns-one = Eine Spalte
workshop-columns-three = Drei: × 1, 2, 3
workshop-columns-throws = Eine je Wurf
workshop-columns-add = + Spalte
workshop-columns-fact = { $columns } Spalten
workshop-column-remove = Spalte { $column } entfernen
workshop-column-special = nur in Sonderrunden gefüllt
workshop-factor = Faktor
workshop-last-throw = Offen bis Wurf
workshop-last-throw-always = immer offen
workshop-rows = Felder
workshop-rows-note = Klappe ein Feld auf, um es zu ändern.
workshop-remove = { $name } entfernen
workshop-add = Feld hinzufügen
workshop-box = Feld
workshop-kind = Was daliegen muss
workshop-kind-any = jeder Wurf
workshop-kind-groups = Gleiche
workshop-kind-sets = eine Straße
workshop-kind-total = eine Summe
workshop-kind-face = eine Zahl
workshop-shows-groups = Wie viele Gleiche, z. B. 3 2
workshop-shows-sets = Straßen, z. B. 1234 2345
workshop-shows-total = Summe
workshop-shows-face = Zahl
workshop-exact = nichts anderes daneben
workshop-pays = Punkte
workshop-pays-all = alle Augen
workshop-pays-matched = passende Augen
workshop-pays-number = eine Zahl
workshop-points = Wie viele
workshop-rule-add = Sonst: weitere Regel
workshop-rule-remove = Regel entfernen
workshop-joker-value = Als Joker
workshop-joker-value-note = leer: was die Würfel zeigen
workshop-alike = Alle Würfel gleich
workshop-all-equal = Ihr eigenes Feld
workshop-paid-in = Bezahlt in
workshop-paid-in-any = jedem Feld
workshop-paid-in-upper = dem oberen Feld der Zahl
workshop-extra-columns = In den Spalten
workshop-extra-columns-all = muss es in allen gelten
workshop-extra-columns-any = genügt eine
workshop-more = Weitere Regeln
workshop-ordered = Vorgeschriebene Reihenfolge
workshop-tokens = Joker zum Einsetzen
workshop-tokens-note = Jeder darf sie in einem eigenen Zug einsetzen.
workshop-effect-restart = fängt den Zug neu an
workshop-effect-helpers = die anderen werfen für dich
workshop-uses = Wie oft
workshop-earned = Extrawürfe für gute Felder
workshop-special = Eine letzte Spalte für Sonderrunden
workshop-no-strike = Punkte für eine Spalte ohne Strich
workshop-no-strike-fact = { $points } für eine Spalte ohne Strich
workshop-reroll = Andere Würfe
workshop-roll = Probewurf { $number }
