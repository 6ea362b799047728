// SPDX-License-Identifier: GPL-2.0-only
// The figures of this page, and how its elements are made. Whatever a name is, it only ever becomes
// text: nothing here makes elements of strings.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// Characters that are not seen, or turn the direction of others.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

// A name as it can be shown.
function clean(text) {
	return String(text).replace(UNSEEN, (c) =>
		"[U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "]");
}

// Adds attributes, and children: nodes, or what becomes text; null and false are left out.
function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === "function")
			element.addEventListener(name, value);
		else if (value === true)
			element.setAttribute(name, "");
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, clean(value));
	}
	for (const child of children.flat(Infinity)) {
		if (child instanceof Node)
			element.append(child);
		else if (child !== null && child !== undefined && child !== false)
			element.append(document.createTextNode(clean(child)));
	}
	return element;
}

// An element of HTML; an attribute that is a function listens to the event of its name.
function el(name, attributes, ...children) {
	return fill(document.createElement(name), attributes, children);
}

// The same of SVG.
function svg(name, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function sum(values) {
	return values.reduce((total, value) => total + (value || 0), 0);
}

function most(values) {
	return values.reduce((so, value) => (value > so ? value : so), 0);
}

// Jobs, as titles of report name them.
function jobTitle(number) {
	const job = data.jobs.rows[number];

	if (!job)
		return "other jobs";
	if (job.kind === "other")
		return "other jobs: over for long, or without room of their own";
	if (job.kind && job.kind !== "systemd")
		return `${job.kind} job ${job.jobid}` + (job.step ? `, step ${job.step}` : "");
	if (job.cgroup)
		return `cgroup ${job.cgroup}`;
	return job.cgroup_id ? `cgroup ${job.cgroup_id}, whose path is not known` : "not of one cgroup";
}
