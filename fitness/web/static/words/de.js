// The words of scripts in Deutsch. `make messages` writes this file.
{
  const WORDS = {
"%(count)s found": [
"%(count)s gefunden",
"%(count)s gefunden"
],
"%(count)s rep": [
"%(count)s Wdh.",
"%(count)s Wdh."
],
"%(day)s: %(values)s": [
"%(day)s: %(values)s"
],
"%(done)s of %(count)s set": [
"%(done)s von %(count)s Satz",
"%(done)s von %(count)s Sätzen"
],
"%(done)s of %(total)s": [
"%(done)s von %(total)s"
],
"%(done)s so far": [
"Bisher %(done)s"
],
"%(missing)s less than %(weight)s.": [
"%(missing)s weniger als %(weight)s."
],
"%(name)s added": [
"%(name)s hinzugefügt"
],
"%(name)s, picture %(number)s of %(count)s": [
"%(name)s, Bild %(number)s von %(count)s"
],
"%(reps)s, as many repetitions as possible": [
"%(reps)s, so viele Wiederholungen wie möglich"
],
"%(step)s less, %(set)s": [
"%(step)s weniger, %(set)s"
],
"%(step)s more, %(set)s": [
"%(step)s mehr, %(set)s"
],
"%(title)s. Left and right arrow keys read its values.": [
"%(title)s. Die Pfeiltasten links und rechts lesen die Werte vor."
],
"%(value)s (record)": [
"%(value)s (Rekord)"
],
"%(weight)s less help": [
"%(weight)s weniger Hilfe"
],
"%(weight)s more help": [
"%(weight)s mehr Hilfe"
],
"<a>Sign in<\/a> to train.": [
"<a>Melde dich an<\/a>, um zu trainieren."
],
"A workout can be started when there is a connection.": [
"Ein Training lässt sich starten, sobald es eine Verbindung gibt."
],
"A workout on this phone was not sent yet. Sign out and lose it?": [
"Ein Training auf diesem Handy wurde noch nicht gesendet. Abmelden und es verlieren?"
],
"About today": [
"Zu heute"
],
"Add a set": [
"Neuer Satz"
],
"Add an exercise": [
"Übung hinzufügen"
],
"Add another exercise first.": [
"Füge zuerst eine weitere Übung hinzu."
],
"Add them": [
"Hinzufügen"
],
"Another workout is open": [
"Ein anderes Training ist offen"
],
"Asking what to do next time…": [
"Sehe nach, was nächstes Mal dran ist …"
],
"Best %(lift)s": [
"Bester Satz: %(lift)s"
],
"Best set": [
"Bester Satz"
],
"Change": [
"Änderung"
],
"Choose what to train": [
"Wähle, was du trainierst"
],
"Connecting…": [
"Wird verbunden …"
],
"Copied": [
"Kopiert"
],
"Deload week: the targets are lighter, and none moves.": [
"Deload-Woche: Die Zielwerte sind leichter, und keiner ändert sich."
],
"Discard": [
"Verwerfen"
],
"Discard this one and open the other": [
"Dieses verwerfen und das andere öffnen"
],
"Discard this workout?": [
"Dieses Training verwerfen?"
],
"Discard this workout? Its sets are gone then, also those that you ticked.": [
"Dieses Training verwerfen? Seine Sätze sind dann weg, auch die abgehakten."
],
"Discard workout": [
"Training verwerfen"
],
"Distance": [
"Distanz"
],
"Done": [
"Fertig"
],
"Done, %(set)s": [
"Fertig, %(set)s"
],
"E.g. seat 4, narrow grip": [
"Z. B. Sitz 4, enger Griff"
],
"Each side: %(plates)s, on a %(bar)s bar.": [
"Pro Seite: %(plates)s, an einer Stange von %(bar)s."
],
"Effort, %(set)s": [
"Anstrengung, %(set)s"
],
"Enter a number first.": [
"Gib zuerst eine Zahl ein."
],
"Enter the distance first.": [
"Gib zuerst die Distanz ein."
],
"Enter the minutes first.": [
"Gib zuerst die Minuten ein."
],
"Enter the reps first.": [
"Gib zuerst die Wiederholungen ein."
],
"Enter the seconds first.": [
"Gib zuerst die Sekunden ein."
],
"Enter the time in minutes, at most a week.": [
"Gib die Zeit in Minuten ein, höchstens eine Woche."
],
"Enter the weight first.": [
"Gib zuerst das Gewicht ein."
],
"Enter the weight of the next set first.": [
"Gib zuerst das Gewicht des nächsten Satzes ein."
],
"Exercise": [
"Übung"
],
"Exercises": [
"Übungen"
],
"Filled": [
"Gefüllt"
],
"Finish": [
"Beenden"
],
"Finish is kept on this phone, and sent as soon as there is a connection.": [
"Das Beenden ist auf diesem Handy vorgemerkt und wird gesendet, sobald es eine Verbindung gibt."
],
"Home": [
"Start"
],
"How to": [
"Ausführung"
],
"How to do it": [
"Ausführung"
],
"In turn with:": [
"Im Wechsel mit:"
],
"It was started on another device, so this one cannot be saved.": [
"Es wurde auf einem anderen Gerät begonnen, deshalb lässt sich dieses nicht speichern."
],
"Keep it": [
"Behalten"
],
"Keep them in the workout, as sets that were not done (times as a note)": [
"Im Training behalten, als nicht gemachte Sätze (Zeiten als Notiz)"
],
"Keep training": [
"Weitertrainieren"
],
"Last time": [
"Letztes Mal"
],
"Last workouts": [
"Verlauf"
],
"Leave them out": [
"Weglassen"
],
"Left as it is": [
"Bleibt, wie es ist"
],
"Log distance": [
"Distanz eintragen"
],
"Log reps": [
"Wdh. eintragen"
],
"Log time": [
"Zeit eintragen"
],
"Minutes": [
"Minuten"
],
"Move down": [
"Runter"
],
"Move up": [
"Hoch"
],
"Moved": [
"Verschoben"
],
"Next time": [
"Nächstes Mal"
],
"Next: %(name)s": [
"Als Nächstes: %(name)s"
],
"No passkey was chosen. Try again when you are ready.": [
"Es wurde kein Passkey gewählt. Versuch es noch einmal, wenn du so weit bist."
],
"No set is left to do.": [
"Kein Satz ist mehr offen."
],
"No workout is open": [
"Kein Training ist offen"
],
"Not connected: kept on this phone": [
"Nicht verbunden: auf diesem Handy aufgehoben"
],
"Not connected: the catalogue can be searched when there is a connection.": [
"Nicht verbunden: Der Katalog lässt sich durchsuchen, sobald es eine Verbindung gibt."
],
"Not connected: the workout can be discarded when there is a connection.": [
"Nicht verbunden: Das Training lässt sich verwerfen, sobald es eine Verbindung gibt."
],
"Note": [
"Notiz"
],
"Notes": [
"Notizen"
],
"Nothing in the catalogue is called that.": [
"Im Katalog heißt nichts so."
],
"Opening your workout…": [
"Dein Training wird geöffnet …"
],
"Opening…": [
"Wird geöffnet …"
],
"Plates": [
"Scheiben"
],
"Press Ctrl+C": [
"Drück Strg+C"
],
"RPE": [
"RPE"
],
"RPE %(rpe)s": [
"RPE %(rpe)s"
],
"Remove": [
"Entfernen"
],
"Remove %(name)s": [
"%(name)s entfernen"
],
"Removed": [
"Entfernt"
],
"Reps": [
"Wdh."
],
"Reset zoom": [
"Zoom zurücksetzen"
],
"Rest after each set of this exercise, not only after the round": [
"Pause nach jedem Satz dieser Übung, nicht erst nach der Runde"
],
"Saved": [
"Gespeichert"
],
"Saving…": [
"Wird gespeichert …"
],
"Search the catalogue, e.g. bench press": [
"Katalog durchsuchen, z. B. Bankdrücken"
],
"Seconds": [
"Sekunden"
],
"Set %(number)s": [
"Satz %(number)s"
],
"Sets not done: %(sets)s.": [
"Nicht gemachte Sätze: %(sets)s."
],
"Sets that the finished workout does not have": [
"Sätze, die das beendete Training nicht hat"
],
"Setup, shown every time": [
"Einstellung, jedes Mal gezeigt"
],
"Setup: %(setup)s": [
"Einstellung: %(setup)s"
],
"Show it": [
"Ansehen"
],
"Skip": [
"Weiter"
],
"Summary": [
"Überblick"
],
"Superset": [
"Supersatz"
],
"Superset %(name)s": [
"Supersatz %(name)s"
],
"Swap": [
"Tauschen"
],
"Swap for": [
"Tauschen gegen"
],
"Target %(sets)s set": [
"Ziel: %(sets)s Satz",
"Ziel: %(sets)s Sätze"
],
"Target %(sets)s set at %(weight)s": [
"Ziel: %(sets)s Satz mit %(weight)s",
"Ziel: %(sets)s Sätze mit %(weight)s"
],
"Target %(sets)s × %(reps)s": [
"Ziel: %(sets)s × %(reps)s"
],
"Target %(sets)s × %(reps)s at %(weight)s": [
"Ziel: %(sets)s × %(reps)s mit %(weight)s"
],
"That did not work. Reload the page and try again.": [
"Das hat nicht geklappt. Lade die Seite neu und versuch es noch einmal."
],
"The %(bar)s bar alone weighs more than %(weight)s.": [
"Schon die Stange mit %(bar)s wiegt mehr als %(weight)s."
],
"The %(bar)s bar without plates.": [
"Die Stange von %(bar)s ohne Scheiben."
],
"The browser was not allowed to show notifications.": [
"Der Browser durfte keine Mitteilungen zeigen."
],
"The exercise is removed.": [
"Die Übung ist entfernt."
],
"The server did not accept this workout.": [
"Der Server hat dieses Training nicht angenommen."
],
"The server did not answer. What you typed is still here; sign in in another tab, or try again.": [
"Der Server hat nicht geantwortet. Was du getippt hast, ist noch hier; melde dich in einem anderen Tab an oder versuch es noch einmal."
],
"The server does not answer. Try again later.": [
"Der Server antwortet nicht. Versuch es später noch einmal."
],
"The server does not answer: kept on this device.": [
"Der Server antwortet nicht: auf diesem Gerät aufgehoben."
],
"The set is removed.": [
"Der Satz ist entfernt."
],
"The workout was finished on another device. These sets were ticked here:": [
"Das Training wurde auf einem anderen Gerät beendet. Diese Sätze wurden hier abgehakt:"
],
"This device has a passkey of your account already.": [
"Dieses Gerät hat schon einen Passkey deines Kontos."
],
"This part of the page cannot be shown. Your sets are kept: reload the page to go on.": [
"Dieser Teil der Seite lässt sich nicht anzeigen. Deine Sätze sind aufgehoben: Lade die Seite neu, um weiterzumachen."
],
"This part of the page is not loaded. It opens when there is a connection. Your sets are kept.": [
"Dieser Teil der Seite ist nicht geladen. Er öffnet sich, sobald es eine Verbindung gibt. Deine Sätze sind aufgehoben."
],
"Tick a set first, or discard the workout.": [
"Hake zuerst einen Satz ab oder verwirf das Training."
],
"Time in minutes": [
"Zeit in Minuten"
],
"Title": [
"Titel"
],
"Undo": [
"Rückgängig"
],
"Volume": [
"Volumen"
],
"Warm-up": [
"Warm-up"
],
"Warm-ups: %(weights)s %(unit)s": [
"Aufwärmen: %(weights)s %(unit)s"
],
"Workout": [
"Training"
],
"You are offline. The work goes on without this page.": [
"Du bist offline. Es geht ohne diese Seite weiter."
],
"You are signed out: sign in to search the catalogue.": [
"Du bist abgemeldet: Melde dich an, um den Katalog zu durchsuchen."
],
"You have not done this exercise before.": [
"Du hast diese Übung noch nie gemacht."
],
"Your targets move when the workout is stored.": [
"Deine Zielwerte ändern sich, sobald das Training gespeichert ist."
],
"Your workout is kept on this phone. <a>Sign in<\/a> to save it.": [
"Dein Training ist auf diesem Handy aufgehoben. <a>Melde dich an<\/a>, um es zu speichern."
],
"Your workout is saved.": [
"Dein Training ist gespeichert."
],
"as last time": [
"wie letztes Mal"
],
"behind a name\u0004:": [
":"
],
"between sets\u0004Rest": [
"Pause"
],
"button\u0004Warm-up": [
"Warm-up"
],
"chart": [
"Diagramm"
],
"first time": [
"erstes Mal"
],
"never": [
"nie"
],
"no set": [
"kein Satz"
],
"of a set\u0004Weight": [
"Gewicht"
],
"of a workout\u0004Set": [
"Satz"
],
"of a workout\u0004Sets": [
"Sätze"
],
"set %(number)s": [
"Satz %(number)s"
],
"short for warm-up\u0004W": [
"A"
],
"verb\u0004Start": [
"Starten"
],
"warm-up %(number)s": [
"Aufwärmsatz %(number)s"
]
};
  const plural = new Intl.PluralRules("de");
  const form = (count) => (plural.select(count) === "one" ? 0 : 1);
  globalThis.gettext = (text) => WORDS[text]?.[0] ?? text;
  globalThis.ngettext = (one, many, count) => (WORDS[one] ?? [one, many])[form(count)];
  globalThis.pgettext = (context, text) => WORDS[`${context}\u0004${text}`]?.[0] ?? text;
  globalThis.interpolate = (text, values) => text.replace(/%\((\w+)\)s/g, (whole, name) => values[name]);
}
