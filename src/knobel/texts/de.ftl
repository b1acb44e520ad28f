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
ui-setup-standard = Standard
ui-setup-reset = Alles auf Standard
ui-setup-needs = Nur mit { $needs }.
ui-setup-need = { $option }: { $values }
ui-setup-or = { $first } oder { $second }
ui-list-order = eigene Reihenfolge
    .help = Bring die Felder in die Reihenfolge, in der gespielt wird.
ui-list-tiebreak = Felder vergleichen
    .help = Bei gleicher Summe entscheidet das erste Feld dieser Liste, dann das nächste.
ui-setup-numbers = Faktor { $number }
ui-setup-move-up = { $name } nach oben
ui-setup-move-down = { $name } nach unten
ui-setup-loading = Die Blöcke kommen …
ui-pad-facts = { $dice } Würfel, { $boxes } Felder
ui-pad-bonus = Bonus { $bonus } ab { $threshold }
ui-pad-saved = gesparte Würfe
ui-pad-extra = +{ $points } je weiterem Fünfling

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
ui-pad-tab = { $name }, { $total } Punkte
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
ui-said-begin = { $name } beginnt.
ui-said-begin-thrown = { $name } beginnt mit dem höchsten Wurf: { $dice }.
ui-said-throw = { $name } wirft { $dice }.
ui-said-enter = { $name } schreibt { $box }: { $points }.
ui-said-enter-bonus = { $name } schreibt { $box }: { $points } und { $bonus } Bonus.
ui-said-strike = { $name } streicht { $box }.
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

# --- Why this number, and what to do: reasons of the rules core ---

how-all = alle Augen
how-matched = passende Augen
how-number = { $points }
duty-throw = würfeln
duty-throw-or-enter = weiter würfeln oder eintragen
duty-enter = eintragen
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
not-your-turn = Platz { $seat } ist nicht dran, sondern Platz { $turn } (gezählt ab 0).

# --- Rules core: game records ---

record-too-long = Die Aufzeichnung ist zu lang; erlaubt sind { $most } Zeilen.
record-line = Mit { $found } kann hier keine Zeile beginnen.
record-header = Die Kopfzeile { $name } ist nicht lesbar: { $found }.
record-header-missing = Es fehlt die Kopfzeile { $name }.
record-digest = Die Regeln passen nicht zur Kennung { $found }; sie haben { $expected }.

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
cli-help-data = Ordner für die gespeicherten Spiele.
cli-help-no-browser = Den Browser nicht öffnen.
cli-help-version = Die Version nennen.
cli-help-help = Diese Hilfe zeigen.
cli-arguments = Angaben
cli-options = Optionen
cli-commands = Befehle
cli-port-busy = Port { $port } ist belegt, also ein anderer.
cli-serving = Knobel läuft: { $url } (Ende mit Strg-C)
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
cli-cases-skipped = übersprungen: { $name }, { $count }
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
server-message-not-json = Diese Nachricht ist kein JSON: { $problem }
server-message-too-deep = Diese Nachricht ist mehr als { $most } Ebenen tief.
server-message-invalid = Diese Nachricht ist nicht zu gebrauchen, bei { $where }: { $problem }
server-message-binary = Nachrichten sind Text, keine Bytes.
server-hello-expected = Die erste Nachricht muss eine Begrüßung sein.
server-hello-again = Begrüßt wurde schon.
server-protocol = Diese Seite spricht Fassung { $found } des Protokolls, der Server { $expected }. Die Seite neu laden.
server-too-many = Mehr als { $most } Nachrichten in { $seconds } Sekunden sind zu viele.
server-not-found = Hier ist nichts.
server-method-not-allowed = Das geht hier nicht.
server-request-invalid = Diese Anfrage ist nicht zu gebrauchen, bei { $where }: { $problem }
server-too-large = Eine Anfrage darf höchstens { $most } Bytes haben.
server-foreign-host = Unter diesem Namen ist der Server nicht zu erreichen.
server-foreign-origin = Anfragen von Seiten anderer Anbieter werden abgelehnt.
server-no-pages = Die Seiten von knobel sind nicht gebaut. knobel mit ./knobel starten oder neu installieren.
server-folder-in-use = Ein anderer Server von knobel benutzt den Datenordner { $path }.
server-folder-full = Im Datenordner { $path } ist kein Platz mehr.
server-folder-unwritable = In den Datenordner { $path } lässt sich nicht schreiben: { $problem }
server-database-unusable = Die Datenbank { $path } ist nicht zu gebrauchen: { $problem }
server-database-foreign = { $path } ist keine Datenbank von knobel.
server-database-newer = Die Datenbank { $path } stammt von einem neueren knobel ({ $found }, dieses kennt { $expected }).
server-address-unusable = Der Server kann unter { $host } nicht lauschen: { $problem }
server-no-free-port = Alle Ports von { $first } bis { $last } sind belegt.
