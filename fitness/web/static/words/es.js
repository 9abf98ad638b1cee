// The words of scripts in Español. `make messages` writes this file.
{
  const WORDS = {
"%(count)s found": [
"%(count)s encontrado",
"%(count)s encontrados"
],
"%(count)s rep": [
"%(count)s rep",
"%(count)s reps"
],
"%(day)s: %(values)s": [
"%(day)s: %(values)s"
],
"%(done)s of %(count)s set": [
"%(done)s de %(count)s serie",
"%(done)s de %(count)s series"
],
"%(done)s of %(total)s": [
"%(done)s de %(total)s"
],
"%(done)s so far": [
"%(done)s hasta ahora"
],
"%(missing)s less than %(weight)s.": [
"%(missing)s menos que %(weight)s."
],
"%(name)s added": [
"Se añadió %(name)s"
],
"%(name)s, picture %(number)s of %(count)s": [
"%(name)s, imagen %(number)s de %(count)s"
],
"%(reps)s, as many repetitions as possible": [
"%(reps)s, tantas repeticiones como puedas"
],
"%(step)s less, %(set)s": [
"%(step)s menos, %(set)s"
],
"%(step)s more, %(set)s": [
"%(step)s más, %(set)s"
],
"%(title)s. Left and right arrow keys read its values.": [
"%(title)s. Las flechas izquierda y derecha leen sus valores."
],
"%(value)s (record)": [
"%(value)s (récord)"
],
"%(weight)s less help": [
"%(weight)s menos de ayuda"
],
"%(weight)s more help": [
"%(weight)s más de ayuda"
],
"<a>Sign in<\/a> to train.": [
"<a>Inicia sesión<\/a> para entrenar."
],
"A workout can be started when there is a connection.": [
"Se puede empezar un entrenamiento cuando haya conexión."
],
"A workout on this phone was not sent yet. Sign out and lose it?": [
"Un entrenamiento de este teléfono aún no se ha enviado. ¿Cerrar sesión y perderlo?"
],
"About today": [
"Sobre hoy"
],
"Add a set": [
"Otra serie"
],
"Add an exercise": [
"Añadir un ejercicio"
],
"Add another exercise first.": [
"Añade primero otro ejercicio."
],
"Add them": [
"Añadirlas"
],
"Another workout is open": [
"Hay otro entrenamiento abierto"
],
"Asking what to do next time…": [
"Consultando qué hacer la próxima vez…"
],
"Best %(lift)s": [
"Mejor %(lift)s"
],
"Best set": [
"Mejor serie"
],
"Change": [
"Cambio"
],
"Choose what to train": [
"Elegir qué entrenar"
],
"Connecting…": [
"Conectando…"
],
"Copied": [
"Copiado"
],
"Deload week: the targets are lighter, and none moves.": [
"Semana de descarga: los objetivos son más ligeros, y ninguno cambia."
],
"Discard": [
"Descartar"
],
"Discard this one and open the other": [
"Descartar este y abrir el otro"
],
"Discard this workout?": [
"¿Descartar este entrenamiento?"
],
"Discard this workout? Its sets are gone then, also those that you ticked.": [
"¿Descartar este entrenamiento? Sus series se pierden, también las que marcaste."
],
"Discard workout": [
"Descartar entrenamiento"
],
"Distance": [
"Distancia"
],
"Done": [
"Hecho"
],
"Done, %(set)s": [
"Hecha, %(set)s"
],
"E.g. seat 4, narrow grip": [
"P. ej. asiento 4, agarre cerrado"
],
"Each side: %(plates)s, on a %(bar)s bar.": [
"Por lado: %(plates)s, en una barra de %(bar)s."
],
"Effort, %(set)s": [
"Esfuerzo, %(set)s"
],
"Enter a number first.": [
"Escribe primero un número."
],
"Enter the distance first.": [
"Escribe primero la distancia."
],
"Enter the minutes first.": [
"Escribe primero los minutos."
],
"Enter the reps first.": [
"Escribe primero las reps."
],
"Enter the seconds first.": [
"Escribe primero los segundos."
],
"Enter the time in minutes, at most a week.": [
"Escribe el tiempo en minutos, como mucho una semana."
],
"Enter the weight first.": [
"Escribe primero el peso."
],
"Enter the weight of the next set first.": [
"Escribe primero el peso de la próxima serie."
],
"Exercise": [
"Ejercicio"
],
"Exercises": [
"Ejercicios"
],
"Filled": [
"Rellenado"
],
"Finish": [
"Terminar"
],
"Finish is kept on this phone, and sent as soon as there is a connection.": [
"El final se guarda en este teléfono y se envía en cuanto haya conexión."
],
"Home": [
"Inicio"
],
"How to": [
"Técnica"
],
"How to do it": [
"Cómo hacerlo"
],
"In turn with:": [
"Alternando con:"
],
"It was started on another device, so this one cannot be saved.": [
"Se empezó en otro dispositivo, así que este no se puede guardar."
],
"Keep it": [
"Conservar"
],
"Keep them in the workout, as sets that were not done (times as a note)": [
"Dejarlas en el entrenamiento, como series sin hacer (los tiempos, como nota)"
],
"Keep training": [
"Seguir entrenando"
],
"Last time": [
"Última vez"
],
"Last workouts": [
"Historial"
],
"Leave them out": [
"Omitirlas"
],
"Left as it is": [
"Se queda como está"
],
"Log distance": [
"Registrar distancia"
],
"Log reps": [
"Registrar reps"
],
"Log time": [
"Registrar tiempo"
],
"Minutes": [
"Minutos"
],
"Move down": [
"Bajar"
],
"Move up": [
"Subir"
],
"Moved": [
"Movido"
],
"Next time": [
"La próxima vez"
],
"Next: %(name)s": [
"Siguiente: %(name)s"
],
"No passkey was chosen. Try again when you are ready.": [
"No se eligió ninguna llave de acceso. Inténtalo de nuevo cuando quieras."
],
"No set is left to do.": [
"No queda ninguna serie por hacer."
],
"No workout is open": [
"No hay ningún entrenamiento abierto"
],
"Not connected: kept on this phone": [
"Sin conexión: guardado en este teléfono"
],
"Not connected: the catalogue can be searched when there is a connection.": [
"Sin conexión: se puede buscar en el catálogo cuando haya conexión."
],
"Not connected: the workout can be discarded when there is a connection.": [
"Sin conexión: el entrenamiento se puede descartar cuando haya conexión."
],
"Note": [
"Nota"
],
"Notes": [
"Notas"
],
"Nothing in the catalogue is called that.": [
"No hay nada en el catálogo con ese nombre."
],
"Opening your workout…": [
"Abriendo tu entrenamiento…"
],
"Opening…": [
"Abriendo…"
],
"Plates": [
"Discos"
],
"Press Ctrl+C": [
"Pulsa Ctrl+C"
],
"RPE": [
"RPE"
],
"RPE %(rpe)s": [
"RPE %(rpe)s"
],
"Remove": [
"Quitar"
],
"Remove %(name)s": [
"Quitar %(name)s"
],
"Removed": [
"Quitado"
],
"Reps": [
"Reps"
],
"Reset zoom": [
"Restablecer zoom"
],
"Rest after each set of this exercise, not only after the round": [
"Descansar tras cada serie de este ejercicio, no solo tras la ronda"
],
"Saved": [
"Guardado"
],
"Saving…": [
"Guardando…"
],
"Search the catalogue, e.g. bench press": [
"Buscar, p. ej. press de banca"
],
"Seconds": [
"Segundos"
],
"Set %(number)s": [
"Serie %(number)s"
],
"Sets not done: %(sets)s.": [
"Series sin hacer: %(sets)s."
],
"Sets that the finished workout does not have": [
"Series que no tiene el entrenamiento terminado"
],
"Setup, shown every time": [
"Configuración, se muestra siempre"
],
"Setup: %(setup)s": [
"Configuración: %(setup)s"
],
"Show it": [
"Mostrarla"
],
"Skip": [
"Saltar"
],
"Summary": [
"Resumen"
],
"Superset": [
"Superserie"
],
"Superset %(name)s": [
"Superserie %(name)s"
],
"Swap": [
"Cambiar"
],
"Swap for": [
"Cambiar por"
],
"Target %(sets)s set": [
"Objetivo: %(sets)s serie",
"Objetivo: %(sets)s series"
],
"Target %(sets)s set at %(weight)s": [
"Objetivo: %(sets)s serie con %(weight)s",
"Objetivo: %(sets)s series con %(weight)s"
],
"Target %(sets)s × %(reps)s": [
"Objetivo: %(sets)s × %(reps)s"
],
"Target %(sets)s × %(reps)s at %(weight)s": [
"Objetivo: %(sets)s × %(reps)s con %(weight)s"
],
"That did not work. Reload the page and try again.": [
"Eso no funcionó. Recarga la página e inténtalo de nuevo."
],
"The %(bar)s bar alone weighs more than %(weight)s.": [
"La barra de %(bar)s sola pesa más que %(weight)s."
],
"The %(bar)s bar without plates.": [
"La barra de %(bar)s sin discos."
],
"The browser was not allowed to show notifications.": [
"No se permitió que el navegador mostrara notificaciones."
],
"The exercise is removed.": [
"Ejercicio quitado."
],
"The server did not accept this workout.": [
"El servidor no aceptó este entrenamiento."
],
"The server did not answer. What you typed is still here; sign in in another tab, or try again.": [
"El servidor no respondió. Lo que escribiste sigue aquí; inicia sesión en otra pestaña o inténtalo de nuevo."
],
"The server does not answer. Try again later.": [
"El servidor no responde. Inténtalo más tarde."
],
"The server does not answer: kept on this device.": [
"El servidor no responde: guardado en este dispositivo."
],
"The set is removed.": [
"Serie quitada."
],
"The workout was finished on another device. These sets were ticked here:": [
"El entrenamiento se terminó en otro dispositivo. Estas series se marcaron aquí:"
],
"This device has a passkey of your account already.": [
"Este dispositivo ya tiene una llave de acceso de tu cuenta."
],
"This part of the page cannot be shown. Your sets are kept: reload the page to go on.": [
"Esta parte de la página no se puede mostrar. Tus series están guardadas: recarga la página para seguir."
],
"This part of the page is not loaded. It opens when there is a connection. Your sets are kept.": [
"Esta parte de la página no está cargada. Se abre cuando haya conexión. Tus series están guardadas."
],
"Tick a set first, or discard the workout.": [
"Marca primero una serie, o descarta el entrenamiento."
],
"Time in minutes": [
"Tiempo en minutos"
],
"Title": [
"Título"
],
"Undo": [
"Deshacer"
],
"Volume": [
"Volumen"
],
"Warm-up": [
"Calentar"
],
"Warm-ups: %(weights)s %(unit)s": [
"Calentamientos: %(weights)s %(unit)s"
],
"Workout": [
"Entrenamiento"
],
"You are offline. The work goes on without this page.": [
"No tienes conexión. El trabajo sigue sin esta página."
],
"You are signed out: sign in to search the catalogue.": [
"Tu sesión está cerrada: inicia sesión para buscar en el catálogo."
],
"You have not done this exercise before.": [
"Aún no has hecho este ejercicio."
],
"Your targets move when the workout is stored.": [
"Tus objetivos cambian cuando se guarda el entrenamiento."
],
"Your workout is kept on this phone. <a>Sign in<\/a> to save it.": [
"Tu entrenamiento está guardado en este teléfono. <a>Inicia sesión<\/a> para guardarlo en tu cuenta."
],
"Your workout is saved.": [
"Entrenamiento guardado."
],
"as last time": [
"como la última vez"
],
"behind a name\u0004:": [
":"
],
"between sets\u0004Rest": [
"Descanso"
],
"button\u0004Warm-up": [
"Calentar"
],
"chart": [
"gráfico"
],
"first time": [
"primera vez"
],
"never": [
"nunca"
],
"no set": [
"ninguna serie"
],
"of a set\u0004Weight": [
"Peso"
],
"of a workout\u0004Set": [
"Serie"
],
"of a workout\u0004Sets": [
"Series"
],
"set %(number)s": [
"serie %(number)s"
],
"short for warm-up\u0004W": [
"C"
],
"verb\u0004Start": [
"Empezar"
],
"warm-up %(number)s": [
"calentamiento %(number)s"
]
};
  const plural = new Intl.PluralRules("es");
  const form = (count) => (plural.select(count) === "one" ? 0 : 1);
  globalThis.gettext = (text) => WORDS[text]?.[0] ?? text;
  globalThis.ngettext = (one, many, count) => (WORDS[one] ?? [one, many])[form(count)];
  globalThis.pgettext = (context, text) => WORDS[`${context}\u0004${text}`]?.[0] ?? text;
  globalThis.interpolate = (text, values) => text.replace(/%\((\w+)\)s/g, (whole, name) => values[name]);
}
