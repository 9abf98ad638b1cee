// The words of scripts in Français. `make messages` writes this file.
{
  const WORDS = {
"%(count)s found": [
"%(count)s trouvé",
"%(count)s trouvés"
],
"%(count)s rep": [
"%(count)s rép.",
"%(count)s rép."
],
"%(day)s: %(values)s": [
"%(day)s : %(values)s"
],
"%(done)s of %(count)s set": [
"%(done)s sur %(count)s série",
"%(done)s sur %(count)s séries"
],
"%(done)s of %(total)s": [
"%(done)s sur %(total)s"
],
"%(done)s so far": [
"%(done)s pour l’instant"
],
"%(missing)s less than %(weight)s.": [
"%(missing)s de moins que %(weight)s."
],
"%(name)s added": [
"%(name)s ajouté"
],
"%(name)s, picture %(number)s of %(count)s": [
"%(name)s, image %(number)s sur %(count)s"
],
"%(reps)s, as many repetitions as possible": [
"%(reps)s, autant de répétitions que possible"
],
"%(step)s less, %(set)s": [
"%(step)s de moins, %(set)s"
],
"%(step)s more, %(set)s": [
"%(step)s de plus, %(set)s"
],
"%(title)s. Left and right arrow keys read its values.": [
"%(title)s. Les flèches gauche et droite lisent ses valeurs."
],
"%(value)s (record)": [
"%(value)s (record)"
],
"%(weight)s less help": [
"%(weight)s d’aide en moins"
],
"%(weight)s more help": [
"%(weight)s d’aide en plus"
],
"<a>Sign in<\/a> to train.": [
"<a>Connectez-vous<\/a> pour vous entraîner."
],
"A workout can be started when there is a connection.": [
"Une séance peut commencer quand il y a une connexion."
],
"A workout on this phone was not sent yet. Sign out and lose it?": [
"Une séance sur ce téléphone n’a pas encore été envoyée. Se déconnecter et la perdre ?"
],
"About today": [
"Sur aujourd’hui"
],
"Add a set": [
"+1 série"
],
"Add an exercise": [
"Ajouter un exercice"
],
"Add another exercise first.": [
"Ajoutez d’abord un autre exercice."
],
"Add them": [
"Les ajouter"
],
"Another workout is open": [
"Une autre séance est ouverte"
],
"Asking what to do next time…": [
"Recherche de la suite pour la prochaine fois…"
],
"Best %(lift)s": [
"Meilleure série %(lift)s"
],
"Best set": [
"Meilleure série"
],
"Change": [
"Écart"
],
"Choose what to train": [
"Choisir quoi travailler"
],
"Connecting…": [
"Connexion…"
],
"Copied": [
"Copié"
],
"Deload week: the targets are lighter, and none moves.": [
"Semaine de décharge : les objectifs sont plus légers, et aucun ne bouge."
],
"Discard": [
"Abandonner"
],
"Discard this one and open the other": [
"Abandonner celle-ci et ouvrir l’autre"
],
"Discard this workout?": [
"Abandonner cette séance ?"
],
"Discard this workout? Its sets are gone then, also those that you ticked.": [
"Abandonner cette séance ? Ses séries seront perdues, même celles que vous avez cochées."
],
"Discard workout": [
"Abandonner la séance"
],
"Distance": [
"Distance"
],
"Done": [
"Fait"
],
"Done, %(set)s": [
"Faite, %(set)s"
],
"E.g. seat 4, narrow grip": [
"P. ex. siège 4, prise serrée"
],
"Each side: %(plates)s, on a %(bar)s bar.": [
"De chaque côté : %(plates)s, sur une barre de %(bar)s."
],
"Effort, %(set)s": [
"Effort, %(set)s"
],
"Enter a number first.": [
"Saisissez d’abord un nombre."
],
"Enter the distance first.": [
"Saisissez d’abord la distance."
],
"Enter the minutes first.": [
"Saisissez d’abord les minutes."
],
"Enter the reps first.": [
"Saisissez d’abord les répétitions."
],
"Enter the seconds first.": [
"Saisissez d’abord les secondes."
],
"Enter the time in minutes, at most a week.": [
"Saisissez la durée en minutes, une semaine au plus."
],
"Enter the weight first.": [
"Saisissez d’abord la charge."
],
"Enter the weight of the next set first.": [
"Saisissez d’abord la charge de la prochaine série."
],
"Exercise": [
"Exercice"
],
"Exercises": [
"Exercices"
],
"Filled": [
"Rempli"
],
"Finish": [
"Terminer"
],
"Finish is kept on this phone, and sent as soon as there is a connection.": [
"La fin de la séance est gardée sur ce téléphone, et envoyée dès qu’il y a une connexion."
],
"Home": [
"Accueil"
],
"How to": [
"Exécution"
],
"How to do it": [
"Comment le faire"
],
"In turn with:": [
"En alternance avec :"
],
"It was started on another device, so this one cannot be saved.": [
"Elle a été commencée sur un autre appareil, donc celle-ci ne peut pas être enregistrée."
],
"Keep it": [
"Garder"
],
"Keep them in the workout, as sets that were not done (times as a note)": [
"Les garder dans la séance, comme séries non faites (les temps en note)"
],
"Keep training": [
"Continuer la séance"
],
"Last time": [
"Dernière fois"
],
"Last workouts": [
"Historique"
],
"Leave them out": [
"Les ignorer"
],
"Left as it is": [
"Laissé tel quel"
],
"Log distance": [
"Noter la distance"
],
"Log reps": [
"Noter les rép."
],
"Log time": [
"Noter le temps"
],
"Minutes": [
"Minutes"
],
"Move down": [
"Plus bas"
],
"Move up": [
"Plus haut"
],
"Moved": [
"Déplacé"
],
"Next time": [
"Prochaine fois"
],
"Next: %(name)s": [
"Ensuite : %(name)s"
],
"No passkey was chosen. Try again when you are ready.": [
"Aucune clé d’accès n’a été choisie. Réessayez quand vous serez prêt."
],
"No set is left to do.": [
"Il ne reste aucune série à faire."
],
"No workout is open": [
"Aucune séance n’est ouverte"
],
"Not connected: kept on this phone": [
"Pas de connexion : gardé sur ce téléphone"
],
"Not connected: the catalogue can be searched when there is a connection.": [
"Pas de connexion : la recherche dans le catalogue reviendra avec elle."
],
"Not connected: the workout can be discarded when there is a connection.": [
"Pas de connexion : vous pourrez abandonner la séance quand elle reviendra."
],
"Note": [
"Note"
],
"Notes": [
"Notes"
],
"Nothing in the catalogue is called that.": [
"Rien dans le catalogue ne porte ce nom."
],
"Opening your workout…": [
"Ouverture de votre séance…"
],
"Opening…": [
"Ouverture…"
],
"Plates": [
"Disques"
],
"Press Ctrl+C": [
"Appuyez sur Ctrl+C"
],
"RPE": [
"RPE"
],
"RPE %(rpe)s": [
"RPE %(rpe)s"
],
"Remove": [
"Retirer"
],
"Remove %(name)s": [
"Retirer %(name)s"
],
"Removed": [
"Retiré"
],
"Reps": [
"Rép."
],
"Reset zoom": [
"Réinitialiser le zoom"
],
"Rest after each set of this exercise, not only after the round": [
"Repos après chaque série de cet exercice, pas seulement après le tour"
],
"Saved": [
"Enregistré"
],
"Saving…": [
"Enregistrement…"
],
"Search the catalogue, e.g. bench press": [
"Chercher dans le catalogue, p. ex. développé couché"
],
"Seconds": [
"Secondes"
],
"Set %(number)s": [
"Série %(number)s"
],
"Sets not done: %(sets)s.": [
"Séries non faites : %(sets)s."
],
"Sets that the finished workout does not have": [
"Séries que la séance terminée n’a pas"
],
"Setup, shown every time": [
"Réglage, affiché à chaque fois"
],
"Setup: %(setup)s": [
"Réglage : %(setup)s"
],
"Show it": [
"Afficher"
],
"Skip": [
"Passer"
],
"Summary": [
"Résumé"
],
"Superset": [
"Superset"
],
"Superset %(name)s": [
"Superset %(name)s"
],
"Swap": [
"Changer"
],
"Swap for": [
"Remplacer par"
],
"Target %(sets)s set": [
"Objectif %(sets)s série",
"Objectif %(sets)s séries"
],
"Target %(sets)s set at %(weight)s": [
"Objectif %(sets)s série à %(weight)s",
"Objectif %(sets)s séries à %(weight)s"
],
"Target %(sets)s × %(reps)s": [
"Objectif %(sets)s × %(reps)s"
],
"Target %(sets)s × %(reps)s at %(weight)s": [
"Objectif %(sets)s × %(reps)s à %(weight)s"
],
"That did not work. Reload the page and try again.": [
"Cela n’a pas fonctionné. Rechargez la page et réessayez."
],
"The %(bar)s bar alone weighs more than %(weight)s.": [
"La barre de %(bar)s seule pèse plus que %(weight)s."
],
"The %(bar)s bar without plates.": [
"La barre de %(bar)s sans disques."
],
"The browser was not allowed to show notifications.": [
"Le navigateur n’a pas été autorisé à afficher des notifications."
],
"The exercise is removed.": [
"L’exercice est retiré."
],
"The server did not accept this workout.": [
"Le serveur n’a pas accepté cette séance."
],
"The server did not answer. What you typed is still here; sign in in another tab, or try again.": [
"Le serveur n’a pas répondu. Ce que vous avez saisi est toujours là ; connectez-vous dans un autre onglet, ou réessayez."
],
"The server does not answer. Try again later.": [
"Le serveur ne répond pas. Réessayez plus tard."
],
"The server does not answer: kept on this device.": [
"Le serveur ne répond pas : gardé sur cet appareil."
],
"The set is removed.": [
"La série est retirée."
],
"The workout was finished on another device. These sets were ticked here:": [
"La séance a été terminée sur un autre appareil. Ces séries ont été cochées ici :"
],
"This device has a passkey of your account already.": [
"Cet appareil a déjà une clé d’accès de votre compte."
],
"This part of the page cannot be shown. Your sets are kept: reload the page to go on.": [
"Cette partie de la page ne peut pas être affichée. Vos séries sont gardées : rechargez la page pour continuer."
],
"This part of the page is not loaded. It opens when there is a connection. Your sets are kept.": [
"Cette partie de la page n’est pas chargée. Elle s’ouvre dès qu’il y a une connexion. Vos séries sont gardées."
],
"Tick a set first, or discard the workout.": [
"Cochez d’abord une série, ou abandonnez la séance."
],
"Time in minutes": [
"Durée en minutes"
],
"Title": [
"Titre"
],
"Undo": [
"Annuler"
],
"Volume": [
"Volume"
],
"Warm-up": [
"Échauf."
],
"Warm-ups: %(weights)s %(unit)s": [
"Échauffements : %(weights)s %(unit)s"
],
"Workout": [
"Séance"
],
"You are offline. The work goes on without this page.": [
"Vous êtes hors ligne. Le travail continue sans cette page."
],
"You are signed out: sign in to search the catalogue.": [
"Vous êtes déconnecté : connectez-vous pour chercher dans le catalogue."
],
"You have not done this exercise before.": [
"Vous n’avez encore jamais fait cet exercice."
],
"Your targets move when the workout is stored.": [
"Vos objectifs évoluent quand la séance est enregistrée."
],
"Your workout is kept on this phone. <a>Sign in<\/a> to save it.": [
"Votre séance est gardée sur ce téléphone. <a>Connectez-vous<\/a> pour l’enregistrer."
],
"Your workout is saved.": [
"Votre séance est enregistrée."
],
"as last time": [
"comme la dernière fois"
],
"behind a name\u0004:": [
" :"
],
"between sets\u0004Rest": [
"Repos"
],
"button\u0004Warm-up": [
"Échauf."
],
"chart": [
"graphique"
],
"first time": [
"première fois"
],
"never": [
"jamais"
],
"no set": [
"aucune série"
],
"of a set\u0004Weight": [
"Charge"
],
"of a workout\u0004Set": [
"Série"
],
"of a workout\u0004Sets": [
"Séries"
],
"set %(number)s": [
"série %(number)s"
],
"short for warm-up\u0004W": [
"É"
],
"verb\u0004Start": [
"Commencer"
],
"warm-up %(number)s": [
"échauffement %(number)s"
]
};
  const plural = new Intl.PluralRules("fr");
  const form = (count) => (plural.select(count) === "one" ? 0 : 1);
  globalThis.gettext = (text) => WORDS[text]?.[0] ?? text;
  globalThis.ngettext = (one, many, count) => (WORDS[one] ?? [one, many])[form(count)];
  globalThis.pgettext = (context, text) => WORDS[`${context}\u0004${text}`]?.[0] ?? text;
  globalThis.interpolate = (text, values) => text.replace(/%\((\w+)\)s/g, (whole, name) => values[name]);
}
