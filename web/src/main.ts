import "@fontsource-variable/figtree";
import "@fontsource-variable/fraunces";
import "@fontsource/patrick-hand";
import "./app.css";

import { mount } from "svelte";
import App from "./App.svelte";

const target = document.getElementById("app");
if (target === null) throw new Error("index.html has no #app");

export default mount(App, { target });
