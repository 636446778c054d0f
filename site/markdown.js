// How this project's pages are read: by the site, and by the tests that follow the links of the pages.

/**
 * The name under which a heading can be linked to, as hosts of repositories make it.
 *
 * @param {string} heading
 */
export function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Removes blocks of code, in which nothing is a heading or a link.
 *
 * @param {string} text
 */
const withoutCode = (text) =>
  text
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/**
 * The names under which the headings of a page can be linked to. Headings that are alike get a number.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function anchorsOf(text) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/**
 * The targets of a page's links to other places of this repository.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function linksOf(text) {
  return [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, target = '']) => target);
}
