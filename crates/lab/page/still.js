/** The stage of this moment as an SVG file that stands alone: the styles of the page are written into its elements. */

/** What a file needs of the computed style of an element. */
const PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-size", "font-weight", "font-variant-numeric", "text-anchor", "visibility", "display", "transform"];
/** Values that say nothing. */
const INITIAL = { "fill-opacity": "1", stroke: "none", "stroke-dasharray": "none", "stroke-linecap": "butt", "stroke-linejoin": "miter", opacity: "1", "paint-order": "normal", "font-variant-numeric": "normal", "text-anchor": "start", visibility: "visible", display: "inline", transform: "none" };

/** The height of the line below the picture. */
const CAPTION = 26;

const SVG = "http://www.w3.org/2000/svg";

/**
 * Writes the computed style of an element, and of all in it, into its copy.
 * @param {Element} element
 * @param {Element} copy
 */
function writeStyles(element, copy) {
  const style = getComputedStyle(element);
  const text = element instanceof SVGTextContentElement;
  for (const name of PROPERTIES) {
    if (name.startsWith("font") || name === "text-anchor" ? !text : name === "transform" && element.hasAttribute("transform")) continue;
    const value = style.getPropertyValue(name);
    if (value && value !== INITIAL[/** @type {keyof typeof INITIAL} */ (name)]) /** @type {SVGElement} */ (copy).style.setProperty(name, value);
  }
  copy.removeAttribute("class");
  for (let index = 0; index < element.children.length; index += 1) writeStyles(element.children[index], copy.children[index]);
}

/**
 * The stage as SVG: its drawing, or its canvas as a picture in it.
 * @param {HTMLElement} stage
 * @param {string} caption a line below it
 * @returns {string | null} null where nothing is drawn
 */
export function stillOf(stage, caption) {
  const view = stage.querySelector(".stage-view") ?? stage;
  const { width, height } = view.getBoundingClientRect();
  if (width === 0 || height === 0) return null;
  const file = document.createElementNS(SVG, "svg");
  const set = (/** @type {Element} */ element, /** @type {Record<string, string | number>} */ values) => {
    for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value));
    return element;
  };
  const tall = height + CAPTION;
  const { fontFamily, backgroundColor, color } = getComputedStyle(document.body);
  set(file, { xmlns: SVG, width, height: tall, viewBox: `0 0 ${width} ${tall}`, "font-family": fontFamily });
  file.append(set(document.createElementNS(SVG, "rect"), { width, height: tall, fill: backgroundColor }));
  const text = set(document.createElementNS(SVG, "text"), { x: 12, y: tall - 9, fill: color, "font-size": 12, opacity: 0.75 });
  text.textContent = caption;
  file.append(text);
  for (const canvas of view.querySelectorAll("canvas")) {
    file.append(set(document.createElementNS(SVG, "image"), { width, height, href: canvas.toDataURL("image/png") }));
  }
  for (const drawing of view.querySelectorAll("svg.stage-svg")) {
    const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
    writeStyles(drawing, copy);
    set(copy, { x: 0, y: 0, width, height });
    copy.removeAttribute("style");
    file.append(copy);
  }
  return new XMLSerializer().serializeToString(file);
}
