// Command manifests checks files of deployment with the types and validators that others take them by.
//
//	manifests build FOLDER            builds a kustomization, checks each object, writes them as JSON lines
//	manifests validate SCHEMA FILE…   checks YAML files against a JSON Schema
//
// What is wrong goes to standard error, and the exit code is 1 then.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: manifests build FOLDER, or manifests validate SCHEMA FILE...")
		os.Exit(2)
	}
	var mistakes []error
	switch os.Args[1] {
	case "build":
		mistakes = build(os.Args[2])
	case "validate":
		mistakes = validate(os.Args[2], os.Args[3:])
	default:
		mistakes = []error{fmt.Errorf("unknown command %s", os.Args[1])}
	}
	for _, mistake := range mistakes {
		fmt.Fprintln(os.Stderr, mistake)
	}
	if len(mistakes) > 0 {
		os.Exit(1)
	}
}
