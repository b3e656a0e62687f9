// What each part of the page looks at.
class Screen {
  constructor(app) { this.app = app; }

  get model() { return this.app.model; }

  get explorer() { return this.app.explorer; }

  get state() { return this.app.state; }

  // Of what is measured: "bytes" or "objects".
  get kind() { return this.explorer.kind(this.state); }
}
