// The links of a card's ranges exchange the card for that of their own page. Without scripts they open the page.

let newest = 0; // of two links in a row, the last one counts

export function watchRanges({ before, after }) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest(".ranges a");
    const card = link?.closest("section[aria-labelledby]");
    if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const request = ++newest;
    const address = withOtherParameters(link);
    const choice = [...card.querySelectorAll(".ranges")].indexOf(link.closest(".ranges")); // a card may have two
    const page = await fetchPage(address);
    if (request !== newest) return;
    const fresh = page?.querySelector(`section[aria-labelledby="${card.getAttribute("aria-labelledby")}"]`);
    if (!fresh) {
      location.assign(address);
      return;
    }
    before(card);
    card.replaceWith(fresh);
    exchangePager(page);
    history.replaceState(history.state, "", address);
    after(fresh);
    fresh.querySelectorAll(".ranges")[choice]?.querySelector("[aria-current]")?.focus({ preventScroll: true });
  });
}

// The page of a list below the chart stays.
function withOtherParameters(link) {
  const address = new URL(link.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (!address.searchParams.has(name)) address.searchParams.set(name, value);
  }
  return address;
}

async function fetchPage(address) {
  try {
    const answer = await fetch(address);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  } catch {
    return null;
  }
}

// Its links carry the range.
function exchangePager(page) {
  const [old, fresh] = [document, page].map((one) => one.querySelector(".pager"));
  if (old && fresh) old.replaceWith(fresh);
}
