package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// validate gives what is wrong with each YAML file by the schema.
func validate(schemaFile string, files []string) []error {
	compiler := jsonschema.NewCompiler()
	schema, err := compiler.Compile(schemaFile)
	if err != nil {
		return []error{err}
	}
	var mistakes []error
	for _, file := range files {
		if err := validateFile(schema, file); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", file, err))
		}
	}
	return mistakes
}

func validateFile(schema *jsonschema.Schema, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err = yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}
